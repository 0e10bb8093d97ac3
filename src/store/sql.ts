/** Runs SQL. */
import type Database from 'better-sqlite3';
import { mapValues } from '../resources/define-resource.ts';
import { type Row, type TableName, tables } from './schema.ts';

type Statement = Database.Statement<unknown[]>;

type SqlValue = string | number | bigint | Uint8Array | null;

/** Values for the parameters: a list for `?`, an object for `@name`. `Row` is the type of the object. */
type SqlValues<Row = Record<string, SqlValue>> =
  | readonly SqlValue[]
  | { readonly [Name in keyof Row]: SqlValue };

/** better-sqlite3 binds separate arguments faster than a list. */
function toArguments(values: readonly unknown[] | object): readonly unknown[] {
  return Array.isArray(values) ? values : [values];
}

/** Runs SQL statements. Each text is prepared once, when it is first used. */
export class Sql {
  readonly db: Database.Database;
  readonly #statements = new Map<string, Statement>();
  /** Those that return the first column. */
  readonly #valueStatements = new Map<string, Statement>();

  constructor(db: Database.Database) {
    this.db = db;
  }

  get<Row>(text: string, values: SqlValues = []): Row | undefined {
    return this.#prepare(text).get(...toArguments(values)) as Row | undefined;
  }

  all<Row>(text: string, values: SqlValues = []): Row[] {
    return this.#prepare(text).all(...toArguments(values)) as Row[];
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

  /** Inserts a row. The compiler reports a missing column. */
  insert<Table extends TableName>(table: Table, row: Row<Table>): void {
    this.run(insertTexts[table], toValues(table, row));
  }

  update<Table extends TableName>(table: Table, row: Row<Table> & { readonly seq: number }): void {
    const columns = columnNames[table].map((name) => `${name} = ?`).join(', ');
    this.run(`UPDATE ${table} SET ${columns} WHERE seq = ?`, [...toValues(table, row), row.seq]);
  }

  #prepare(text: string): Statement {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.db.prepare<unknown[]>(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  #prepareValue(text: string): Statement {
    let statement = this.#valueStatements.get(text);
    if (statement === undefined) {
      statement = this.db.prepare<unknown[]>(text).pluck();
      this.#valueStatements.set(text, statement);
    }
    return statement;
  }
}

const columnNames = mapValues<object, Readonly<Record<TableName, readonly string[]>>>(tables, Object.keys);
const insertTexts = Object.fromEntries(
  Object.entries(columnNames).map(([table, names]) => {
    const values = names.map(() => '?').join(', ');
    return [table, `INSERT INTO ${table} (${names.join(', ')}) VALUES (${values})`];
  }),
) as Readonly<Record<TableName, string>>;

/** The values of a row in the order of its columns: better-sqlite3 binds positions in half the time of names. */
function toValues(table: TableName, row: object): SqlValue[] {
  const values = row as Readonly<Record<string, SqlValue>>;
  return columnNames[table].map((name) => values[name] as SqlValue);
}

/** A table with the queries that read and write it. */
export class Table {
  protected readonly sql: Sql;

  constructor(sql: Sql) {
    this.sql = sql;
  }
}

export function readPragma(db: Database.Database, name: string): number {
  return Number(db.pragma(name, { simple: true }));
}
