/**
 * Pages of what no index finds. All of a table may have to be looked through, a few milliseconds at a time: sending and
 * answering go on between.
 */
import type Database from 'better-sqlite3';
import { SvcError } from '../errors.ts';
import { monotonic, setImmediate } from '../timers.ts';
import { type PageRequest, type RowPage, toPage, upperBound } from './row-page.ts';

/** The longest that a look through the table goes on before others have their turn. */
const SLICE_MS = 8;

type Values = Readonly<Record<string, unknown>>;

export interface Candidate {
  readonly seq: number;
  readonly fits: 0 | 1;
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
   * The newest rows that fit, in a page.
   * @param sql selects {@link Candidate}s below `@before`, newest first, by an index alone: without sorting.
   * @throws SvcError `storage_unavailable` when the store is closed meanwhile.
   */
  async findPage(sql: string, values: Values, page: PageRequest): Promise<RowPage<Row>> {
    const statement = this.#prepare(sql);
    const rows: Row[] = [];
    let before: number | null = upperBound(page);
    while (before !== null) {
      const slice = scanSlice(statement, { ...values, before }, page.limit + 1 - rows.length);
      rows.push(...slice.fitting.map(this.#findRow).filter((row) => row !== undefined));
      before = slice.goOnBefore;
      if (before !== null) await this.#giveWay();
    }
    return toPage(rows, page.limit);
  }

  #prepare(sql: string): Database.Statement<[Values], Candidate> {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare<[Values], Candidate>(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  async #giveWay(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (!this.#db.open) throw new SvcError('storage_unavailable', 'The emulator is stopping.');
  }
}

interface Slice {
  readonly fitting: readonly number[];
  /** Where there is more to look through; null when enough was found, or nothing is left. */
  readonly goOnBefore: number | null;
}

function scanSlice(
  statement: Database.Statement<[Values], Candidate>,
  values: Values,
  wanted: number,
): Slice {
  const fitting: number[] = [];
  const endsAt = monotonic() + SLICE_MS;
  for (const { seq, fits } of statement.iterate(values)) {
    if (fits === 1) fitting.push(seq);
    if (fitting.length === wanted) return { fitting, goOnBefore: null };
    if (monotonic() > endsAt) return { fitting, goOnBefore: seq };
  }
  return { fitting, goOnBefore: null };
}

/** Those of `conditions` whose member of the filter is given. */
export function pickConditions<Filter extends object>(
  conditions: { readonly [Name in keyof Filter]?: string },
  filter: Filter,
): string[] {
  return Object.entries<string>(conditions as Record<string, string>)
    .filter(([name]) => filter[name as keyof Filter] !== null)
    .map(([, condition]) => condition);
}

/** Whether a row fits all of `conditions`, as a column. One after the other: what costs most is asked of few. */
export function toMatchColumn(conditions: readonly string[]): string {
  return `iif(${conditions.join(' AND ') || 'TRUE'}, 1, 0) AS fits`;
}
