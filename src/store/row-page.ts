/**
 * Pages of lists (§2, §4.1). A page starts after a row and not at an offset, so it costs the same in a large table, and rows
 * that are created between two pages are neither skipped nor repeated.
 */
import type Database from 'better-sqlite3';
import type { Page } from '../contract/resources.ts';
import { SvcError } from '../errors.ts';
import { monotonic, SLICE_MS, yieldToEventLoop } from '../timers.ts';
import { createStoreClosedError } from './database.ts';

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
 * @param findSeq finds the sequence of a cursor, which is an id, among the rows that the caller can access.
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

/** @param read returns up to `limit` rows with a sequence below `before`, newest first. */
export function readPage<Row>(
  { limit, beforeSeq }: PageRequest,
  read: (before: number, limit: number) => Row[],
): RowPage<Row> {
  // The extra row shows whether there are more.
  const rows = read(beforeSeq ?? Number.MAX_SAFE_INTEGER, limit + 1);
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}

/** Converts rows to the response body of a list; `end_cursor` is the id of the last item. */
export function toListBody<Row extends { readonly id: string }, Item>(
  { rows, hasMore }: RowPage<Row>,
  toItem: (row: Row) => Item,
): Page<Item> {
  return { data: rows.map(toItem), has_more: hasMore, end_cursor: rows.at(-1)?.id ?? null };
}

type Values = Readonly<Record<string, unknown>>;

export interface Candidate {
  readonly seq: number;
  readonly matches: 0 | 1;
}

/**
 * Finds pages by conditions that have no index. This may read a whole table, so it works in slices between which requests
 * and deliveries continue.
 */
export class Scan<Row> {
  readonly #db: Database.Database;
  readonly #findRow: (seq: number) => Row | undefined;
  readonly #statements = new Map<string, Database.Statement<[Values], Candidate>>();

  constructor(db: Database.Database, findRow: (seq: number) => Row | undefined) {
    this.#db = db;
    this.#findRow = findRow;
  }

  /**
   * Returns a page of the newest rows that match.
   * @param sql selects {@link Candidate}s below `@before`, newest first, through an index that needs no sorting.
   * @throws SvcError `storage_unavailable` if the store is closed meanwhile.
   */
  async findPage(sql: string, values: Values, { limit, beforeSeq }: PageRequest): Promise<RowPage<Row>> {
    const statement = this.#prepare(sql);
    const rows: Row[] = [];
    let before: number | null = beforeSeq ?? Number.MAX_SAFE_INTEGER;
    while (before !== null) {
      const slice = scanSlice(statement, { ...values, before }, limit + 1 - rows.length);
      rows.push(...slice.seqs.map(this.#findRow).filter((row) => row !== undefined));
      before = slice.continueBefore;
      if (before === null) break;
      await yieldToEventLoop();
      if (!this.#db.open) throw createStoreClosedError();
    }
    return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
  }

  #prepare(sql: string): Database.Statement<[Values], Candidate> {
    const cached = this.#statements.get(sql);
    if (cached !== undefined) return cached;
    const statement = this.#db.prepare<[Values], Candidate>(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

interface Slice {
  /** Sequences of the rows that match. */
  readonly seqs: readonly number[];
  /** Where the next slice starts; null if enough rows were found or none are left. */
  readonly continueBefore: number | null;
}

function scanSlice(statement: Database.Statement<[Values], Candidate>, values: Values, limit: number): Slice {
  const seqs: number[] = [];
  const endsAt = monotonic() + SLICE_MS;
  for (const { seq, matches } of statement.iterate(values)) {
    if (matches === 1) seqs.push(seq);
    if (seqs.length === limit) return { seqs, continueBefore: null };
    if (monotonic() > endsAt) return { seqs, continueBefore: seq };
  }
  return { seqs, continueBefore: null };
}

/** Selects the conditions whose field of the filter is set. */
export function pickConditions<Filter extends object>(
  conditions: { readonly [Name in keyof Filter]?: string },
  filter: Filter,
): string[] {
  return Object.entries<string>(conditions as Record<string, string>)
    .filter(([name]) => filter[name as keyof Filter] !== null)
    .map(([, condition]) => condition);
}

/** SQL column that is 1 if a row meets all conditions. SQLite evaluates them in order, so put expensive ones last. */
export function toMatchColumn(conditions: readonly string[]): string {
  return `iif(${conditions.join(' AND ') || 'TRUE'}, 1, 0) AS matches`;
}
