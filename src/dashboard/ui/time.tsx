import { formatRelative } from '../../domain/relative-time.ts';
import { scheduleNow, wallNow } from '../schedule-clock.ts';

interface Props {
  /** ISO 8601. */
  readonly at: string;
  /** The clock that the time belongs to. */
  readonly of: 'schedule' | 'wall';
}

/** `3m ago`, `in 4m 12s`, with the exact time as a tooltip. */
export function Time({ at, of }: Props) {
  const now = (of === 'schedule' ? scheduleNow : wallNow).value;
  return (
    <time dateTime={at} title={`${at} (${of} time)`}>
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
  return isReached(at) ? <>due now</> : <Time at={at} of="schedule" />;
}
