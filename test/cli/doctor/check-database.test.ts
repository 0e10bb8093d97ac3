import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { checkSqliteDriver } from '../../../src/cli/doctor/check-database.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const { paths } = vi.hoisted(() => ({ paths: { driver: '' } }));
vi.mock('../../../src/store/driver.ts', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  resolveDriver: () => paths.driver,
}));

/** A driver that runs `onStatement` with the number of each statement, from 1. */
function createDriver(onStatement: string): string {
  const file = join(createTemporaryFolder(), 'driver.cjs');
  const source = `let number = 0;
    module.exports = class {
      prepare() { number++; ${onStatement}; return { get() {} }; }
    };`;
  writeFileSync(file, source);
  return file;
}

describe('checkSqliteDriver', () => {
  const { signal } = new AbortController();

  it('a SQLite driver that crashes at the last of 20000 statements is a problem, reported with the signal', async () => {
    paths.driver = createDriver(`if (number === 20000) process.kill(process.pid, 'SIGKILL')`);
    expect(await checkSqliteDriver(signal)).toMatchObject({
      status: 'problem',
      detail: `better-sqlite3 crashes on Node.js ${process.versions.node} (SIGKILL)`,
      hint: { text: 'Use Node.js 22 or later with better-sqlite3 13.' },
    });
  });

  it('a SQLite driver that runs every statement passes the check', async () => {
    paths.driver = createDriver('');
    expect(await checkSqliteDriver(signal)).toMatchObject({ status: 'ok' });
  });
});
