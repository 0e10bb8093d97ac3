/**
 * Pages of lists (§2, §4.1). A page starts after a row and not at an offset, so it costs the same in a large table, and rows
 * that are created between two pages are neither skipped nor repeated.
 */

import { SvcError } from '../domain/errors.ts';
import type { Page } from '../resources/define-resource.ts';
import type { Sql } from './sql.ts';

export interface PageRequest {
  readonly limit: number;
  /** `seq` of the last row of the page before (newest first); null for the first page. */
  readonly beforeSeq: number | null;
}

export interface RowPage<Row> {
  readonly rows: Row[];
  readonly hasMore: boolean;
}

/**
 * @param findSeq finds the sequence of a cursor, which is an ID, among the rows that the caller can access.
 * @throws SvcError `invalid_request` for an unknown cursor (gap `list.order`).
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

/** @param read returns up to `limit` rows with a sequence below `before`, newest first. */
export function readPage<Row>(
  { limit, beforeSeq }: PageRequest,
  read: (before: number, limit: number) => Row[],
): RowPage<Row> {
  // The extra row shows whether there are more.
  const rows = read(beforeSeq ?? Number.MAX_SAFE_INTEGER, limit + 1);
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}

/** Converts rows to the response body of a list; `end_cursor` is the ID of the last item. */
export function toListBody<Row extends { readonly id: string }, Item>(
  { rows, hasMore }: RowPage<Row>,
  toItem: (row: Row) => Item,
): Page<Item> {
  return { data: rows.map(toItem), has_more: hasMore, end_cursor: rows.at(-1)?.id ?? null };
}

/** A table and the filter that selects its rows. A field that is missing selects all rows. */
export interface FilteredTable<Filter> {
  /** FROM clause. */
  readonly from: string;
  /** The sequence of the table, such as `e.seq`. */
  readonly seq: string;
  /**
   * The SQL condition of each field, whose value is `@name`. SQLite evaluates them in order, so expensive ones come last. A plus
   * before a column keeps SQLite from using an index whose rows it would have to sort.
   */
  readonly conditions: { readonly [Name in keyof Filter]-?: string };
  /** Returns an additional condition that lets SQLite use an index. */
  readonly findIndexedCondition?: (filter: Filter) => string | null;
}

/**
 * A page of the rows that match a filter, newest first.
 * @param select reads the rows for a condition of their sequence. Only the rows of the page are read with their other columns.
 */
export function listMatches<Filter extends object, Row>(
  sql: Sql,
  { from, seq, conditions, findIndexedCondition }: FilteredTable<Filter>,
  filter: Filter,
  page: PageRequest,
  select: (condition: string) => string,
): RowPage<Row> {
  const indexedCondition = findIndexedCondition?.(filter) ?? null;
  const where = [`${seq} < @before`, ...listConditions(conditions, filter)];
  if (indexedCondition !== null) where.push(indexedCondition);
  const seqs = `SELECT ${seq} FROM ${from} WHERE ${where.join(' AND ')} ORDER BY ${seq} DESC LIMIT @limit`;
  const text = `${select(`${seq} IN (${seqs})`)} ORDER BY ${seq} DESC`;
  return readPage(page, (before, limit) => sql.all<Row>(text, { ...filter, before, limit }));
}

/** Whether the row with the sequence `rowSeq` matches a filter. */
export function matchesRow<Filter extends object>(
  sql: Sql,
  { from, seq, conditions }: FilteredTable<Filter>,
  filter: Filter,
  rowSeq: number,
): boolean {
  const where = listConditions(conditions, filter);
  if (where.length === 0) return true;
  const text = `SELECT 1 FROM ${from} WHERE ${[`${seq} = @rowSeq`, ...where].join(' AND ')}`;
  return sql.value(text, { ...filter, rowSeq }) === 1;
}

/** The SQL conditions of the fields that are set. */
export function listConditions<Filter extends object>(
  conditions: FilteredTable<Filter>['conditions'],
  filter: Filter,
): string[] {
  const names = Object.keys(conditions) as (keyof Filter)[];
  return names.filter((name) => filter[name] !== undefined).map((name) => `(${conditions[name]})`);
}
