/** The SQLite driver that the product uses on this version of Node.js, for tests that open a database. */
import { createRequire } from 'node:module';
import type BetterSqlite from 'better-sqlite3';

const require = createRequire(import.meta.url);

/** Folder of the `better-sqlite3` package for this version of Node.js. */
export const driverFolder: string = require('../../scripts/driver-folder.cjs');

export const Database = require(driverFolder) as typeof BetterSqlite;
