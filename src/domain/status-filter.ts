/** A filter of responses by their status. */

export const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** A response status, or a class of them. */
export type StatusFilter = number | (typeof statusClasses)[number];

/** The last response of a receiver; `none` if the last attempt ended without one, such as with a timeout. */
export type ResponseFilter = StatusFilter | 'none';

/** Parses `404` or `4xx`. Returns null for other texts. */
export function parseStatusFilter(text: string): StatusFilter | null {
  const statusClass = statusClasses.find((candidate) => candidate === text.toLowerCase());
  if (statusClass !== undefined) return statusClass;
  return /^\d{1,3}$/.test(text) && Number(text) <= 599 ? Number(text) : null;
}

/** Parses `404`, `4xx` or `none`. Returns null for other texts. */
export function parseResponseFilter(text: string): ResponseFilter | null {
  if (text.toLowerCase() === 'none') return 'none';
  const filter = parseStatusFilter(text);
  return typeof filter === 'number' && filter < 100 ? null : filter;
}

/** The lowest and the highest status that a filter selects. The status without a response is 0. */
export function toStatusRange(filter: ResponseFilter): readonly [from: number, to: number] {
  if (filter === 'none') return [0, 0];
  if (typeof filter === 'number') return [filter, filter];
  const from = 100 * Number(filter[0]);
  return [from, from + 99];
}

/** Undefined selects every status. */
export function matchesStatus(filter: ResponseFilter | undefined, status: number): boolean {
  if (filter === undefined) return true;
  const [from, to] = toStatusRange(filter);
  return status >= from && status <= to;
}
