/** The SQLite driver that the product uses on this version of Node.js, for tests that open a database. */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type BetterSqlite from 'better-sqlite3';
import { resolveDriver } from '../../src/store/driver.ts';

const file = resolveDriver();
const require = createRequire(file);

export const Database = require(file) as typeof BetterSqlite;

/** Folder of the `better-sqlite3` package for this version of Node.js. */
export const driverFolder = dirname(require.resolve('better-sqlite3/package.json'));
