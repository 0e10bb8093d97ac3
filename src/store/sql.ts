/** Runs SQL, and reads the names of tables and columns. */
import type Database from 'better-sqlite3';
import type { Row, TableName } from './schema.ts';

type Statement = Database.Statement<unknown[]>;

/** A statement that returns rows or takes one, as a list with a value for each column. */
interface RowStatement {
  readonly statement: Statement;
  readonly columns: readonly string[];
}

type SqlValue = string | number | bigint | Uint8Array | null;

/** Values for the parameters: a list for `?`, an object for `@name`. `Row` is the type of the object. */
type SqlValues<Row = Record<string, SqlValue>> =
  | readonly SqlValue[]
  | { readonly [Name in keyof Row]: SqlValue };

/** better-sqlite3 binds separate arguments faster than a list. */
function toArguments(values: readonly unknown[] | object): readonly unknown[] {
  return Array.isArray(values) ? values : [values];
}

/** An object in half the time that better-sqlite3 needs to create one. */
function toRow<Row>(columns: readonly string[], values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  for (let i = 0; i < columns.length; i++) row[columns[i] as string] = values[i];
  return row as Row;
}

/** Runs SQL statements. Each text is prepared once, when it is first used. */
export class Sql {
  readonly db: Database.Database;
  readonly #statements = new Map<string, Statement>();
  readonly #queries = new Map<string, RowStatement>();
  readonly #valueStatements = new Map<string, Statement>();
  /** By table, like `#updates`. */
  readonly #inserts = new Map<string, RowStatement>();
  readonly #updates = new Map<string, RowStatement>();

  constructor(db: Database.Database) {
    this.db = db;
  }

  /** The first row. */
  get<Row>(text: string, values: SqlValues = []): Row | undefined {
    const { statement, columns } = this.#prepareQuery(text);
    const row = statement.get(...toArguments(values)) as unknown[] | undefined;
    return row && toRow(columns, row);
  }

  all<Row>(text: string, values: SqlValues = []): Row[] {
    const { statement, columns } = this.#prepareQuery(text);
    const rows = statement.all(...toArguments(values)) as unknown[][];
    return rows.map((row) => toRow(columns, row));
  }

  /** The first column of the first row. */
  value<Value>(text: string, values: SqlValues = []): Value | undefined {
    return this.#prepareValue(text).get(...toArguments(values)) as Value | undefined;
  }

  /** The first column of each row. */
  values<Value>(text: string, values: SqlValues = []): Value[] {
    return this.#prepareValue(text).all(...toArguments(values)) as Value[];
  }

  run<Row>(text: string, values: SqlValues<Row> = []): Database.RunResult {
    return this.#prepare(text).run(...toArguments(values));
  }

  /** Inserts a row that has a value for every column of the table. */
  insert<Table extends TableName>(table: Table, row: Row<Table>): void {
    const insert = getOrAdd(this.#inserts, table, () => {
      const columns = this.#listColumns(table, row);
      const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
      return { statement: this.db.prepare<unknown[]>(text), columns };
    });
    runWithRow(insert, row);
  }

  /** Writes every column of a row. */
  update<Table extends TableName>(table: Table, row: Row<Table>): void {
    const update = getOrAdd(this.#updates, table, () => {
      const columns = this.#listColumns(table, row);
      const text = `UPDATE ${table} SET ${columns.map((name) => `${name} = ?`).join(', ')} WHERE seq = ?`;
      return { statement: this.db.prepare<unknown[]>(text), columns: [...columns, 'seq'] };
    });
    runWithRow(update, row);
  }

  /** @throws Error if the row has no value for a column of the table. */
  #listColumns(table: string, row: object): string[] {
    const names = listColumns(this.db, table).map(({ name }) => name);
    const missing = names.filter((name) => !(name in row));
    if (missing.length > 0) throw new Error(`No value for ${table}.${missing.join(', ')}.`);
    return names;
  }

  #prepare(text: string): Statement {
    return getOrAdd(this.#statements, text, () => this.db.prepare<unknown[]>(text));
  }

  #prepareQuery(text: string): RowStatement {
    return getOrAdd(this.#queries, text, () => {
      const statement = this.db.prepare<unknown[]>(text).raw();
      return { statement, columns: statement.columns().map(({ name }) => name) };
    });
  }

  #prepareValue(text: string): Statement {
    return getOrAdd(this.#valueStatements, text, () => this.db.prepare<unknown[]>(text).pluck());
  }
}

function runWithRow({ statement, columns }: RowStatement, row: object): void {
  // better-sqlite3 binds positions in half the time of names.
  const values = row as Readonly<Record<string, unknown>>;
  statement.run(...columns.map((name) => values[name]));
}

function getOrAdd<Prepared>(
  statements: Map<string, Prepared>,
  key: string,
  prepare: () => Prepared,
): Prepared {
  const cached = statements.get(key);
  if (cached !== undefined) return cached;
  const statement = prepare();
  statements.set(key, statement);
  return statement;
}

/** A table with the queries that read and write it. */
export class Table {
  protected readonly sql: Sql;

  constructor(sql: Sql) {
    this.sql = sql;
  }
}

export interface Column {
  readonly name: string;
  readonly type: string;
  /** Above 0 for a primary key. */
  readonly pk: number;
}

/** Lists the tables of the database itself, so that code that handles all tables includes new ones. */
export function listTableNames(db: Database.Database): string[] {
  return db
    .prepare<[], string>(
      `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
    )
    .pluck()
    .all();
}

export function listColumns(db: Database.Database, table: string): Column[] {
  return db.pragma(`main.table_info(${table})`) as Column[];
}

/** The value of a numeric pragma. */
export function readPragma(db: Database.Database, name: string): number {
  return Number(db.pragma(name, { simple: true }));
}
