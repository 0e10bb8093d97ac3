/**
 * Finds pages by conditions that have no index. This may read a whole table, so it works in slices of a few milliseconds
 * between which requests and deliveries continue.
 */
import type Database from 'better-sqlite3';
import { monotonic, setImmediate } from '../timers.ts';
import { createStoreClosedError } from './database.ts';
import { type PageRequest, type RowPage, toPage, upperBound } from './row-page.ts';

/** Milliseconds of work before other tasks of the event loop run. */
const SLICE_MS = 8;

type Values = Readonly<Record<string, unknown>>;

export interface Candidate {
  readonly seq: number;
  readonly matches: 0 | 1;
}

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
  async findPage(sql: string, values: Values, page: PageRequest): Promise<RowPage<Row>> {
    const statement = this.#prepare(sql);
    const rows: Row[] = [];
    let before: number | null = upperBound(page);
    while (before !== null) {
      const slice = scanSlice(statement, { ...values, before }, page.limit + 1 - rows.length);
      rows.push(...slice.matching.map(this.#findRow).filter((row) => row !== undefined));
      before = slice.continueBefore;
      if (before !== null) await this.#yieldToEventLoop();
    }
    return toPage(rows, page.limit);
  }

  #prepare(sql: string): Database.Statement<[Values], Candidate> {
    const cached = this.#statements.get(sql);
    if (cached !== undefined) return cached;
    const statement = this.#db.prepare<[Values], Candidate>(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  async #yieldToEventLoop(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (!this.#db.open) throw createStoreClosedError();
  }
}

interface Slice {
  readonly matching: readonly number[];
  /** Where the next slice starts; null if enough rows were found or none are left. */
  readonly continueBefore: number | null;
}

function scanSlice(statement: Database.Statement<[Values], Candidate>, values: Values, limit: number): Slice {
  const matching: number[] = [];
  const endsAt = monotonic() + SLICE_MS;
  for (const { seq, matches } of statement.iterate(values)) {
    if (matches === 1) matching.push(seq);
    if (matching.length === limit) return { matching, continueBefore: null };
    if (monotonic() > endsAt) return { matching, continueBefore: seq };
  }
  return { matching, continueBefore: null };
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
