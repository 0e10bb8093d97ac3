/** The entry of the single executable: starts the command line. */
import * as sea from 'node:sea';
import { createExecutable } from './executable.ts';

// `@types/node` 20 does not have it.
const { getAssetKeys, getRawAsset } = sea as typeof sea & { getAssetKeys(): string[] };

const executable = createExecutable({
  keys: getAssetKeys(),
  // A view of the memory of the executable: nothing is copied.
  read: (key) => Buffer.from(getRawAsset(key) as ArrayBuffer),
});

executable.require('./cli.js');
