/** A filter of responses by their status. */

export const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** A response status, or a class of them. */
export type StatusFilter = number | (typeof statusClasses)[number];

/** The last response of a receiver; `none` if the last attempt ended without one, such as with a timeout. */
export type ResponseFilter = StatusFilter | 'none';

/** @param status 0 without a response */
export function matchesStatus(filter: ResponseFilter, status: number): boolean {
  if (filter === 'none') return status === 0;
  return typeof filter === 'number' ? status === filter : Math.floor(status / 100) === Number(filter[0]);
}
