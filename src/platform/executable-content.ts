/** The content of the single executable: the files of the package, the SQLite driver and its native addon. */
import * as sea from 'node:sea';
import driver from 'better-sqlite3';
import type { Executable } from './package-files.ts';

// `@types/node` 20 does not have it.
const { getAssetKeys, getRawAsset } = sea as typeof sea & { getAssetKeys(): string[] };

/** The assets by path. `scripts/build-binary.mjs` writes them. */
const paths = getAssetKeys();
// A view of the memory of the executable: nothing is copied.
const read = (path: string) => Buffer.from(getRawAsset(path) as ArrayBuffer);
const name = paths.find((path) => path.endsWith('.node')) ?? '';
const executable: Executable = { paths, read, driver, addon: { name, bytes: read(name) } };

Object.assign(globalThis, { __SVC_EXECUTABLE__: executable });
