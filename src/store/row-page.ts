/**
 * Pages of lists (§2, §4.1). A page starts after a row and not at an offset, so it costs the same in a large table, and rows
 * that are created between two pages are neither skipped nor repeated.
 */
import type { Page } from '../contract/resources.ts';
import { SvcError } from '../errors.ts';
import { monotonic, SLICE_MS, yieldToEventLoop } from '../timers.ts';
import { createStoreClosedError } from './database.ts';
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

/** SQL condition for a field of a filter, whose value is `@name`. SQLite checks it on each row unless it is `indexed`. */
type FilterCondition = string | { readonly indexed: string };

/** A table and the filter that selects its rows. A field that is missing selects all rows. */
export interface FilteredTable<Filter> {
  /** FROM clause. */
  readonly from: string;
  /** The sequence of the table, such as `e.seq`. */
  readonly seq: string;
  /** SQLite evaluates them in order, so expensive ones come last. */
  readonly conditions: { readonly [Name in keyof Filter]-?: FilterCondition };
  /** Returns an additional condition that lets SQLite use an index. */
  readonly findIndexedCondition?: (filter: Filter) => string | null;
}

interface Candidate {
  readonly seq: number;
  readonly matches: 0 | 1;
}

/**
 * Lists rows by a filter. This may read a whole table, so it works in slices between which requests and deliveries
 * continue.
 */
export class Scan<Filter extends object, Row> {
  readonly #sql: Sql;
  readonly #table: FilteredTable<Filter>;
  readonly #findRow: (seq: number) => Row | undefined;

  constructor(sql: Sql, table: FilteredTable<Filter>, findRow: (seq: number) => Row | undefined) {
    this.#sql = sql;
    this.#table = table;
    this.#findRow = findRow;
  }

  /** A page of the rows that match, newest first. @throws SvcError `storage_unavailable` if the store is closed meanwhile. */
  async list(filter: Filter, { limit, beforeSeq }: PageRequest): Promise<RowPage<Row>> {
    const text = this.#toCandidateQuery(filter);
    const rows: Row[] = [];
    let before: number | null = beforeSeq ?? Number.MAX_SAFE_INTEGER;
    while (before !== null) {
      const candidates = this.#sql.iterate<Candidate>(text, { ...filter, before });
      const slice = scanSlice(candidates, limit + 1 - rows.length);
      rows.push(...slice.seqs.map(this.#findRow).filter((row) => row !== undefined));
      before = slice.continueBefore;
      if (before === null) break;
      await yieldToEventLoop();
      if (!this.#sql.db.open) throw createStoreClosedError();
    }
    return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
  }

  #toCandidateQuery(filter: Filter): string {
    const { from, seq, conditions, findIndexedCondition } = this.#table;
    const names = (Object.keys(conditions) as (keyof Filter)[]).filter((name) => filter[name] !== undefined);
    const where = [`${seq} < @before`];
    const perRow: string[] = [];
    for (const name of names) {
      const condition = conditions[name];
      if (typeof condition === 'string') perRow.push(condition);
      else where.push(condition.indexed);
    }
    const indexedCondition = findIndexedCondition?.(filter) ?? null;
    if (indexedCondition !== null) where.push(indexedCondition);
    const matches = `iif(${perRow.join(' AND ') || 'TRUE'}, 1, 0) AS matches`;
    return `SELECT ${seq}, ${matches} FROM ${from} WHERE ${where.join(' AND ')} ORDER BY ${seq} DESC`;
  }
}

interface Slice {
  /** Sequences of the rows that match. */
  readonly seqs: readonly number[];
  /** Where the next slice starts; null if enough rows were found or none are left. */
  readonly continueBefore: number | null;
}

function scanSlice(candidates: Iterable<Candidate>, limit: number): Slice {
  const seqs: number[] = [];
  const endsAt = monotonic() + SLICE_MS;
  for (const { seq, matches } of candidates) {
    if (matches === 1) seqs.push(seq);
    if (seqs.length === limit) return { seqs, continueBefore: null };
    if (monotonic() > endsAt) return { seqs, continueBefore: seq };
  }
  return { seqs, continueBefore: null };
}
