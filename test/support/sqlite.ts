/** The SQLite driver that the product uses on this Node.js, for tests that look into a database themselves. */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type BetterSqlite from 'better-sqlite3';
import { resolveDriver } from '../../src/store/driver.ts';

const file = resolveDriver();
const require = createRequire(file);

export const Database = require(file) as typeof BetterSqlite;

/** Folder of the package `better-sqlite3` that runs on this Node.js. */
export const driverFolder = dirname(require.resolve('better-sqlite3/package.json'));
