import type { SignatureScheme } from './scheme.ts';

const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;
const UNIX_SECONDS = /^\d{1,11}$/;
/** From 1973 on; fewer digits are seconds. */
const UNIX_MS = /^\d{12,14}$/;

/** The instant `ms` (milliseconds since 1970) as a delivery carries it: rounded down, to whole seconds mostly. */
export function formatTimestamp(format: SignatureScheme['timestampFormat'], ms: number): string {
  if (format === 'unix_ms') return String(Math.floor(ms));
  const seconds = Math.floor(ms / 1000);
  return format === 'unix' ? String(seconds) : `${new Date(seconds * 1000).toISOString().slice(0, -5)}Z`;
}

/**
 * Reads a timestamp in any format, whatever the scheme (decision `signature.timestamp`).
 * @returns milliseconds since 1970, or null when it is neither ISO 8601 with a zone nor a count since 1970.
 */
export function parseTimestamp(text: string): number | null {
  if (UNIX_SECONDS.test(text)) return Number(text) * 1000;
  if (UNIX_MS.test(text)) return Number(text);
  const ms = ISO_8601.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}
