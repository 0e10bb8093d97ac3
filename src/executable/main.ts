/** The entry of the single executable: starts the command line or the watchdog. */
import * as sea from 'node:sea';
import { WATCHDOG_ARGUMENT } from '../package-files.ts';
import { createExecutable } from './executable.ts';

// `@types/node` 20 does not have it.
const { getAssetKeys, getRawAsset } = sea as typeof sea & { getAssetKeys(): string[] };

const executable = createExecutable({
  keys: getAssetKeys(),
  // A view of the memory of the executable: nothing is copied.
  read: (key) => Buffer.from(getRawAsset(key) as ArrayBuffer),
});

if (process.argv[2] === WATCHDOG_ARGUMENT) {
  process.argv.splice(2, 1);
  executable.require('./watchdog.js');
} else {
  executable.require('./cli.js');
}
