/** A filter of responses by their status. */

export const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** A response status, or a class of them. */
export type StatusFilter = number | (typeof statusClasses)[number];

/** The lowest and the highest status that a filter selects. */
export function toStatusRange(filter: StatusFilter): readonly [from: number, to: number] {
  if (typeof filter === 'number') return [filter, filter];
  const from = 100 * Number(filter[0]);
  return [from, from + 99];
}

/** Undefined selects every status. */
export function matchesStatus(filter: StatusFilter | undefined, status: number): boolean {
  if (filter === undefined) return true;
  const [from, to] = toStatusRange(filter);
  return status >= from && status <= to;
}
