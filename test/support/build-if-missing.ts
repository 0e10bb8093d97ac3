import { existsSync } from 'node:fs';
import { runScript } from './build-once.ts';

/** Builds the program before unit tests if it was never built: some of them read its files, and most load its SQLite driver. */
export default function buildIfMissing(): void {
  runScript('prepare-driver.mjs');
  if (!existsSync(new URL('../../dist/cli.js', import.meta.url))) runScript('build.mjs');
}
