import { parseDuration } from '../domain/duration.ts';
import { SvcError } from '../errors.ts';

/** Milliseconds, or text such as `35m`, `1h30m`, `3d`. */
export type Duration = number | string;

/** @returns whole milliseconds. @throws SvcError `usage` for what is no duration. */
export function toMs(duration: Duration): number {
  const ms = typeof duration === 'number' ? Math.ceil(duration) : parseDuration(duration);
  if (ms !== null && ms >= 0 && Number.isFinite(ms)) return ms;
  throw new SvcError(
    'usage',
    `${typeof duration === 'number' ? duration : JSON.stringify(duration)} is no duration.`,
    {
      hint: 'Write milliseconds as a number, or text such as 90s, 5m, 1h30m or 3d.',
    },
  );
}
