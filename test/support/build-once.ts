import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const scripts = join(import.meta.dirname, '../../scripts');

/** Builds the program before tests that run it, if a source file is newer than the build. */
export default function buildOnce(): void {
  runScript('build-if-needed.mjs');
}

export function runScript(name: string): void {
  execFileSync(process.execPath, [join(scripts, name)], { stdio: 'inherit' });
}
