/** Parses the receiver's `Retry-After` header (RFC 9110, section 10.2.3; gap `retry.after`). */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './duration.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH = `(?<month>${MONTHS.join('|')})`;
const TIME = String.raw`(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d|60)`;

/** The three forms of an HTTP date (RFC 9110, section 5.6.7): IMF-fixdate, RFC 850 and asctime. */
const dateForms = [
  String.raw`(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\d{2}) ${MONTH} (?<year>\d{4}) ${TIME} GMT`,
  String.raw`(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d{2})-${MONTH}-(?<year>\d{2}) ${TIME} GMT`,
  String.raw`(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${MONTH} (?<day>[ \d]\d) ${TIME} (?<year>\d{4})`,
].map((form) => new RegExp(`^${form}$`));

/**
 * The wait that the header asks for.
 * @param value the header: whole seconds, or an HTTP date in any of its three forms
 * @param wallNowMs wall time in milliseconds since 1970; a date is relative to it
 * @returns milliseconds, at most `Number.MAX_SAFE_INTEGER`; 0 for a date in the past; null if it is invalid
 */
export function parseRetryAfter(value: string, wallNowMs: number): number | null {
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * SECOND_MS, Number.MAX_SAFE_INTEGER);
  const dateMs = parseHttpDate(text, wallNowMs);
  return dateMs === null ? null : Math.max(0, dateMs - wallNowMs);
}

function parseHttpDate(text: string, wallNowMs: number): number | null {
  for (const form of dateForms) {
    const parts = form.exec(text)?.groups;
    if (parts === undefined) continue;
    const { day, month = '', year = '', hour, minute, second } = parts;
    const midnight = new Date(Date.UTC(toFullYear(year, wallNowMs), MONTHS.indexOf(month), Number(day)));
    if (midnight.getUTCDate() !== Number(day)) return null; // 31 June
    return (
      midnight.getTime() + Number(hour) * HOUR_MS + Number(minute) * MINUTE_MS + Number(second) * SECOND_MS
    );
  }
  return null;
}

/** A two-digit year more than 50 years in the future means the most recent year with these digits (RFC 9110). */
function toFullYear(digits: string, wallNowMs: number): number {
  if (digits.length === 4) return Number(digits);
  const thisYear = new Date(wallNowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(digits);
  return year > thisYear + 50 ? year - 100 : year;
}
