/** Formats and parses the timestamps of signatures. */
import type { SignatureScheme } from './scheme.ts';

const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;
const UNIX_SECONDS = /^\d{1,11}$/;
/** From 1973 on; fewer digits are seconds. */
const UNIX_MS = /^\d{12,14}$/;

/** Formats a time (milliseconds since 1970) for a delivery: rounded down, except for `unix_ms` to whole seconds. */
export function formatTimestamp(format: SignatureScheme['timestampFormat'], ms: number): string {
  if (format === 'unix_ms') return String(Math.floor(ms));
  const seconds = Math.floor(ms / 1000);
  return format === 'unix' ? String(seconds) : `${new Date(seconds * 1000).toISOString().slice(0, -5)}Z`;
}

/**
 * Parses a timestamp in any format, independent of the scheme (gap `signature.timestamp`).
 * @returns milliseconds since 1970; null if it is neither ISO 8601 with a time zone nor a number since 1970.
 */
export function parseTimestamp(text: string): number | null {
  if (UNIX_SECONDS.test(text)) return Number(text) * 1000;
  if (UNIX_MS.test(text)) return Number(text);
  const ms = ISO_8601.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}
