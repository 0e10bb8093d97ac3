/** Reads a form field that contains a duration. */
import { formatDuration, parseDuration } from '../domain/duration.ts';
import { SvcError } from '../errors.ts';

interface DurationRange {
  readonly minMs: number;
  readonly maxMs: number;
  /** Durations to suggest: `500ms, 30s or 10m` */
  readonly examples: string;
}

/**
 * Checks the range here, because the control plane would report it in milliseconds.
 * @throws SvcError `usage`, whose message starts with the name of the field
 */
export function readDurationField(field: string, text: string, range: DurationRange): number {
  const { minMs, maxMs, examples } = range;
  const ms = parseDuration(text);
  if (ms === null) throw new SvcError('usage', `${field} must be a duration such as ${examples}.`);
  if (ms >= minMs && ms <= maxMs) return ms;
  const limit = ms > maxMs ? `at most ${formatDuration(maxMs)}` : `at least ${formatDuration(minMs)}`;
  throw new SvcError('usage', `${field} must be ${limit}.`);
}
