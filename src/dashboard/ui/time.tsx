/** Times relative to the clocks of a workspace, with the exact time as a tooltip. */
import type { Delivery } from '../../contract/delivery-schemas.ts';
import { formatRelative } from '../../domain/duration.ts';
import type { WorkspaceClock } from '../schedule-clock.ts';
import { useClock } from './workspace-scope.tsx';

interface Props {
  /** ISO 8601. */
  readonly at: string;
  readonly clock: 'schedule' | 'wall';
}

/** When something happened: `3m ago`, with the exact time as a tooltip. */
export function Time({ at, clock }: Props) {
  const workspaceClock = useClock();
  const now = (clock === 'schedule' ? workspaceClock.now : workspaceClock.wallNow).value;
  return (
    <time dateTime={at} title={`${at} (${clock === 'wall' ? 'real' : 'schedule'} time)`}>
      {/* Empty until the clock is known. After a clock move that the page does not know yet, `at` can be later than `now`. */}
      {now === undefined ? '' : formatRelative(at, Math.max(now, Date.parse(at)))}
    </time>
  );
}

/** When something is due in schedule time: `in 4m 12s`, with the exact time as a tooltip. */
export function DueTime({ at }: Pick<Props, 'at'>) {
  const now = useClock().now.value;
  return (
    <time dateTime={at} title={`${at} (schedule time)`}>
      {now === undefined ? '' : formatRelative(at, now)}
    </time>
  );
}

/** Whether the schedule clock has reached a time. */
export function isReached(at: string, { now }: WorkspaceClock): boolean {
  return now.value !== undefined && now.value >= Date.parse(at);
}

/** When an attempt is due. A due attempt waits while its endpoint queue is busy. */
export function AttemptDueTime({ at }: { readonly at: string }) {
  return isReached(at, useClock()) ? <>due now</> : <DueTime at={at} />;
}

interface AttemptCountProps {
  readonly delivery: Pick<Delivery, 'attempt_count' | 'next_attempt_at'>;
}

/** `1 attempt`, `2 attempts, next in 4m`, `2 attempts, due now` */
export function AttemptCount({
  delivery: { attempt_count: count, next_attempt_at: next },
}: AttemptCountProps) {
  const clock = useClock();
  const isDue = next !== null && isReached(next, clock);
  return (
    <span class="muted">
      {count} {count === 1 ? 'attempt' : 'attempts'}
      {next !== null && (isDue ? ', due now' : ', next ')}
      {next !== null && !isDue && <DueTime at={next} />}
    </span>
  );
}
