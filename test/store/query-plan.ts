/** Query plans of the statements that production code prepares. */
import type BetterSqlite from 'better-sqlite3';
import { vi } from 'vitest';
import { Database } from '../support/sqlite.ts';

export interface QueryPlan {
  readonly sql: string;
  /** Details of EXPLAIN QUERY PLAN, one for each step. */
  readonly steps: readonly string[];
}

/** Runs `action` and explains every statement that it prepares and whose text matches `sql`. The database must stay open. */
export async function explainPrepared(sql: RegExp, action: () => unknown): Promise<QueryPlan[]> {
  const prepare = vi.spyOn(Database.prototype, 'prepare');
  await action();
  const prepared = prepare.mock.calls.map(([text], index) => ({ text, db: prepare.mock.contexts[index] }));
  prepare.mockRestore();
  return prepared
    .filter(({ text }) => sql.test(text))
    .map(({ text, db }) => ({ sql: text, steps: explain(db as BetterSqlite.Database, text) }));
}

function explain(db: BetterSqlite.Database, sql: string): string[] {
  const named = Object.fromEntries(Array.from(sql.matchAll(/@(\w+)/g), ([, name]) => [name, 9]));
  const positional = Array.from(sql.matchAll(/\?/g), () => 9);
  const statement = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
  const rows = Object.keys(named).length > 0 ? statement.all(named) : statement.all(...positional);
  return rows.map(({ detail }) => detail);
}
