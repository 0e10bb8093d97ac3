/** Times relative to the clocks of a workspace. If the clocks differ, a real time says so. */
import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { formatDueTime, formatRelative } from '../../domain/duration.ts';
import type { Delivery } from '../../resources/delivery.ts';
import { selectedClock, type WorkspaceClock } from '../schedule-clock.ts';
import { workspaceId } from '../session.ts';

interface Props {
  /** ISO 8601. */
  readonly at: string;
  readonly clock: 'schedule' | 'wall';
  /** Whether a title already says which clock it is. */
  readonly isTitled?: boolean;
}

/** When something happened: `3m ago`, `3m ago (real)`. */
export function Time(props: Props) {
  return <TimeText {...props} isDue={false} />;
}

/** When something is due in schedule time: `in 4m 12s`. */
export function DueTime({ at }: Pick<Props, 'at'>) {
  return <TimeText at={at} clock="schedule" isDue />;
}

function TimeText({ at, clock, isTitled = false, isDue }: Props & { readonly isDue: boolean }) {
  const { value: workspaceClock } = selectedClock;
  // Renders only when the text changes, not at every tick of the clock.
  const text = useMemo(
    () =>
      computed(() => {
        const now = (clock === 'schedule' ? workspaceClock.now : workspaceClock.wallNow).value;
        // Empty until the clock is known. After a clock move that the page does not know yet, `at` can be later than `now`.
        if (now === undefined) return '';
        return isDue ? formatDueTime(at, now) : formatRelative(at, Math.max(now, Date.parse(at)));
      }),
    [at, clock, isDue, workspaceClock],
  ).value;
  const label = clock === 'wall' ? 'real' : 'schedule';
  return (
    <time dateTime={at} title={`${at} (${label} time)`}>
      {text}
      {clock === 'wall' && !isTitled && workspaceClock.isDifferent.value && ' (real)'}
    </time>
  );
}

/** Whether the schedule clock has reached a time. */
export function isReached(at: string, { now }: WorkspaceClock): boolean {
  return now.value !== undefined && now.value >= Date.parse(at);
}

/** When an attempt is due. A due attempt waits while its endpoint queue is busy. */
export function AttemptDueTime({ at }: { readonly at: string }) {
  return isReached(at, selectedClock.value) ? <>due now</> : <DueTime at={at} />;
}

interface AttemptCountProps {
  readonly delivery: Pick<Delivery, 'attempt_count' | 'next_attempt_at' | 'workspace_id'>;
}

/** `1 attempt`, `2 attempts, next in 4m`, `2 attempts, due now` */
export function AttemptCount({ delivery }: AttemptCountProps) {
  const { attempt_count: count } = delivery;
  // The due time is one of another clock if the delivery belongs to another workspace.
  const next = delivery.workspace_id === workspaceId.value ? delivery.next_attempt_at : null;
  const isDue = next !== null && isReached(next, selectedClock.value);
  return (
    <span class="muted">
      {count} {count === 1 ? 'attempt' : 'attempts'}
      {next !== null && (isDue ? ', due now' : ', next ')}
      {next !== null && !isDue && <DueTime at={next} />}
    </span>
  );
}
