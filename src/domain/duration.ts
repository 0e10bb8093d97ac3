/** Parses and formats durations, and times relative to now. */
const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** A number with its unit. Sticky, so that nothing is allowed between two parts. */
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/gy;

export const SECOND_MS = UNIT_MS.s;
export const MINUTE_MS = UNIT_MS.m;
export const HOUR_MS = UNIT_MS.h;
export const DAY_MS = UNIT_MS.d;

/**
 * Reads a duration written `90s`, `5m`, `2h`, `3d`, `1h30m` or `250ms`.
 * @returns whole milliseconds, or null when the text is not a duration.
 */
export function parseDuration(text: string): number | null {
  const input = text.trim();
  let total = 0;
  let end = 0;
  for (let part = PART.exec(input); part !== null; part = PART.exec(input)) {
    total += Number(part[1]) * UNIT_MS[part[2] as keyof typeof UNIT_MS];
    end = PART.lastIndex;
  }
  return input !== '' && end === input.length ? Math.round(total) : null;
}

/** Formats milliseconds for {@link parseDuration}, largest unit first: `1h30m`, `45s`, `1.5s`, `250ms`. */
export function formatDuration(ms: number): string {
  if (ms < 0) return `-${formatDuration(-ms)}`;
  let rest = Math.round(ms);
  if (rest < SECOND_MS) return `${rest}ms`;
  let text = '';
  for (const unit of ['d', 'h', 'm'] as const) {
    const count = Math.floor(rest / UNIT_MS[unit]);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * UNIT_MS[unit];
  }
  return rest === 0 ? text : `${text}${rest / SECOND_MS}s`;
}

/** Formats the duration of a request, with tenths below 10 ms. */
export function formatLatency(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)}ms` : formatDuration(ms);
}

/** The distance of an ISO time from `now`: `in 4m 12s`, `3m ago`, `just now`. */
export function formatRelative(time: string, now: number): string {
  const distanceMs = Date.parse(time) - now;
  if (Math.abs(distanceMs) < SECOND_MS) return 'just now';
  return distanceMs > 0 ? `in ${formatSpan(distanceMs, 2)}` : `${formatSpan(-distanceMs, 1)} ago`;
}

/** When something is due: as {@link formatRelative}, or `due now` from a second before that time on. */
export function formatDueTime(time: string, now: number): string {
  return Date.parse(time) - now < SECOND_MS ? 'due now' : formatRelative(time, now);
}

/** The `count` largest units of a duration of at least a second: `3d 4h`. */
export function formatSpan(ms: number, count: number): string {
  const units = formatDuration(Math.floor(ms / SECOND_MS) * SECOND_MS).match(/\d+\w/g) ?? [];
  return units.slice(0, count).join(' ');
}

/** Without a time zone, a time would depend on the machine that reads it. A date is in UTC. */
const ISO_TIME = /^\d{4}(?:-\d\d){0,2}$|^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Reads an ISO 8601 date, or a time with `Z` or an offset. `Date.parse` also accepts text such as `order 5`.
 * @returns milliseconds since 1970; NaN for another text
 */
export function parseTime(text: string): number {
  return ISO_TIME.test(text) ? Date.parse(text) : Number.NaN;
}

/** Reads a time as {@link parseTime}, or a duration before `now` such as `1h`. */
export function parseRelativeTime(text: string, now: number): number {
  const duration = parseDuration(text);
  return duration === null ? parseTime(text) : now - duration;
}

/** Reads `START/END`, or `START` for up to `now`, as {@link parseRelativeTime}. @returns both times; NaN for another text */
export function parsePeriod(text: string, now: number): readonly [start: number, end: number] {
  const [start = '', ...end] = text.split('/');
  return [parseRelativeTime(start, now), end.length === 0 ? now : parseRelativeTime(end.join('/'), now)];
}
