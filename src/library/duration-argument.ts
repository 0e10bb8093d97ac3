import { parseDuration } from '../domain/duration.ts';
import { SvcError } from '../errors.ts';

/** A number of milliseconds, or a string such as `90s`, `35m`, `1h30m` or `3d`. */
export type Duration = number | string;

/**
 * Default timeout of the library, in real time. It is less than the five seconds after which most test runners end a test,
 * so that the message of the wait is shown.
 */
export const DEFAULT_TIMEOUT_MS = 4_000;

/** @returns whole milliseconds @throws SvcError `usage` for an invalid duration */
export function toMs(duration: Duration): number {
  const ms = typeof duration === 'number' ? Math.ceil(duration) : parseDuration(duration);
  if (ms !== null && ms >= 0 && Number.isFinite(ms)) return ms;
  throw new SvcError(
    'usage',
    `${typeof duration === 'number' ? duration : JSON.stringify(duration)} is not a duration.`,
    {
      hint: 'Pass a number of milliseconds, or a string such as 90s, 5m, 1h30m or 3d.',
    },
  );
}
