import { existsSync } from 'node:fs';
import { build } from './build-once.ts';

/** Builds the program before unit tests if it was never built: some of them read files of the build. */
export default function buildIfMissing(): void {
  if (!existsSync(new URL('../../dist/cli.js', import.meta.url))) build();
}
