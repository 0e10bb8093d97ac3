/** Checks whether the SQLite driver loads and survives statements that crash some versions. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createFindingBuilder, type Finding } from '../../control/finding.ts';

const driver = createFindingBuilder('sqlite', 'SQLite driver');

/** With version 12, Node.js 24.19 and later abort during these statements, when garbage collection starts. */
const STATEMENT_LOOP = `
  const Database = require(process.argv[1]);
  const db = new Database(':memory:');
  for (let i = 0; i < 20000; i++) db.prepare('select ' + i).get();
`;

/** Loads the driver, then runs many statements in a child process, which can crash. */
export async function checkSqliteDriver(signal: AbortSignal): Promise<Finding> {
  try {
    const { openSqlite, resolveDriver } = await import('../../store/driver.ts');
    const db = openSqlite(':memory:');
    const version = db.prepare('SELECT sqlite_version()').pluck().get();
    db.close();
    await promisify(execFile)(process.execPath, ['-e', STATEMENT_LOOP, resolveDriver()], { signal });
    return driver.ok(`SQLite ${version}`);
  } catch (error) {
    const { signal: endSignal } = error as { signal?: string };
    if (typeof endSignal !== 'string') return driver.fromError(error);
    return driver.problem(
      `better-sqlite3 crashes on Node.js ${process.versions.node} (${endSignal})`,
      'Use Node.js 22 or later with better-sqlite3 13.',
    );
  }
}
