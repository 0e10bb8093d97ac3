import type { Delivery } from '../../contract/delivery-schemas.ts';
import { formatRelative } from '../../domain/duration.ts';
import { scheduleNow, wallNow } from '../schedule-clock.ts';

interface Props {
  /** ISO 8601. */
  readonly at: string;
  readonly clock: 'schedule' | 'wall';
}

/** `3m ago`, `in 4m 12s`, with the exact time as a tooltip. */
export function Time({ at, clock }: Props) {
  const now = (clock === 'schedule' ? scheduleNow : wallNow).value;
  return (
    <time dateTime={at} title={`${at} (${clock} time)`}>
      {now === undefined ? at : formatRelative(at, now)}
    </time>
  );
}

/** Whether the schedule clock has reached a time. */
export function isReached(at: string): boolean {
  return scheduleNow.value !== undefined && scheduleNow.value >= Date.parse(at);
}

/** When an attempt is due. A due attempt waits while its endpoint queue is busy. */
export function AttemptDueTime({ at }: { readonly at: string }) {
  return isReached(at) ? <>due now</> : <Time at={at} clock="schedule" />;
}

interface AttemptCountProps {
  readonly delivery: Pick<Delivery, 'attempt_count' | 'next_attempt_at'>;
}

/** `1 attempt`, `2 attempts, next in 4m`, `2 attempts, due now` */
export function AttemptCount({
  delivery: { attempt_count: count, next_attempt_at: next },
}: AttemptCountProps) {
  return (
    <span class="muted">
      {count} {count === 1 ? 'attempt' : 'attempts'}
      {next !== null && (isReached(next) ? ', due now' : ', next ')}
      {next !== null && !isReached(next) && <Time at={next} clock="schedule" />}
    </span>
  );
}
