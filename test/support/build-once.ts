import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Builds the program before tests that run it, if a source file is newer than the build. */
export default function buildOnce(): void {
  const builtAt = modifiedAt(join(root, 'dist/start.js'));
  const newest = Math.max(
    newestIn(join(root, 'src')),
    newestIn(join(root, 'scripts')),
    modifiedAt(join(root, 'package.json')),
  );
  if (builtAt <= newest) build();
}

export function build(): void {
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { cwd: root, stdio: 'inherit' });
}

function newestIn(folder: string): number {
  return Math.max(
    0,
    ...readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => modifiedAt(join(entry.parentPath, entry.name))),
  );
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
