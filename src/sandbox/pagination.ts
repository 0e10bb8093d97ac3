/** Pages of lists (§2, §4.1): cursors are ids on the outside and row numbers on the inside. */
import type { Page } from '../contract/resources.ts';
import { SvcError } from '../errors.ts';
import type { PageRequest, RowPage } from '../store/row-page.ts';

/**
 * @param find looks up the row of a cursor within what the caller may see.
 * @throws SvcError `invalid_request` for a cursor that names nothing (decision `list.order`).
 */
export function toPageRequest(
  input: { readonly limit: number; readonly starting_after?: string | undefined },
  find: (id: string) => { readonly seq: number } | undefined,
): PageRequest {
  if (input.starting_after === undefined) return { limit: input.limit, beforeSeq: null };
  const row = find(input.starting_after);
  if (row === undefined) {
    throw new SvcError('invalid_request', 'starting_after is not the end_cursor of a page of this list.');
  }
  return { limit: input.limit, beforeSeq: row.seq };
}

/** Turns rows into the body of a list; `end_cursor` is the id of the last item. */
export function toListBody<Row extends { readonly id: string }, Item>(
  page: RowPage<Row>,
  toItem: (row: Row) => Item,
): Page<Item> {
  return { data: page.rows.map(toItem), has_more: page.hasMore, end_cursor: page.rows.at(-1)?.id ?? null };
}
