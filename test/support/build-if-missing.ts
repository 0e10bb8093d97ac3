import { existsSync } from 'node:fs';
import { getWatchdogCommand } from '../../src/package-files.ts';
import { build } from './build-once.ts';

/** Builds the program before unit tests if it was never built: some of them start the watchdog, which is a file of the build. */
export default function buildIfMissing(): void {
  const [, script = ''] = getWatchdogCommand();
  if (!existsSync(script)) build();
}
