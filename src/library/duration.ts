import { parseDuration } from '../domain/duration.ts';
import { SvcError } from '../errors.ts';

/** Milliseconds, or text such as `35m`, `1h30m`, `3d`. */
export type Duration = number | string;

/** @throws SvcError `usage` for text that is no duration. */
export function toMs(duration: Duration): number {
  const ms = typeof duration === 'number' ? duration : parseDuration(duration);
  if (ms !== null) return ms;
  throw new SvcError('usage', `${JSON.stringify(duration)} is no duration.`, {
    hint: 'Write milliseconds as a number, or text such as 90s, 5m, 1h30m or 3d.',
  });
}
