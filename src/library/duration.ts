/** Durations of the library. */
import { parseDuration } from '../domain/duration.ts';
import { SvcError } from '../domain/errors.ts';

/** A number of milliseconds, or a string such as `90s`, `35m`, `1h30m` or `3d`. */
export type Duration = number | string;

/**
 * Default timeout of the library, in real time. It is less than the five seconds after which most test runners end a test,
 * so that the message of the wait is shown.
 */
export const DEFAULT_TIMEOUT_MS = 4_000;

/** Whole milliseconds. @throws SvcError `usage` */
export function toMs(duration: Duration): number {
  const ms = typeof duration === 'number' ? Math.ceil(duration) : parseDuration(duration);
  if (ms === null) {
    throw new SvcError(
      'usage',
      `Invalid duration: ${JSON.stringify(duration)}. Use a form such as 90s or 1h30m.`,
    );
  }
  return ms;
}
