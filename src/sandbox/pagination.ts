/** Converts between list parameters and pages of rows (§2, §4.1). Cursors are ids in the API and sequences in the store. */
import type { Page } from '../contract/resources.ts';
import { SvcError } from '../errors.ts';
import type { PageRequest, RowPage } from '../store/row-page.ts';

/**
 * @param findSeq finds the sequence of a cursor among the rows that the caller can access.
 * @throws SvcError `invalid_request` for an unknown cursor (decision `list.order`).
 */
export function toPageRequest(
  input: { readonly limit: number; readonly starting_after?: string | undefined },
  findSeq: (id: string) => number | undefined,
): PageRequest {
  if (input.starting_after === undefined) return { limit: input.limit, beforeSeq: null };
  const beforeSeq = findSeq(input.starting_after);
  if (beforeSeq === undefined) {
    throw new SvcError('invalid_request', 'starting_after is not the end_cursor of a page of this list.');
  }
  return { limit: input.limit, beforeSeq };
}

/** Converts rows to the response body of a list; `end_cursor` is the id of the last item. */
export function toListBody<Row extends { readonly id: string }, Item>(
  page: RowPage<Row>,
  toItem: (row: Row) => Item,
): Page<Item> {
  return { data: page.rows.map(toItem), has_more: page.hasMore, end_cursor: page.rows.at(-1)?.id ?? null };
}
