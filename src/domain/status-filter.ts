/** A filter of responses by their status. */

export const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** A response status, or a class of them. */
export type StatusFilter = number | (typeof statusClasses)[number];

/** The last response of a receiver; `none` if the last attempt ended without one, such as with a timeout. */
export type ResponseFilter = StatusFilter | 'none';

/** The lowest and the highest status that a filter selects. The status without a response is 0. */
export function toStatusRange(filter: ResponseFilter): readonly [from: number, to: number] {
  if (filter === 'none') return [0, 0];
  if (typeof filter === 'number') return [filter, filter];
  const from = 100 * Number(filter[0]);
  return [from, from + 99];
}

export function matchesStatus(filter: ResponseFilter, status: number): boolean {
  const [from, to] = toStatusRange(filter);
  return status >= from && status <= to;
}
