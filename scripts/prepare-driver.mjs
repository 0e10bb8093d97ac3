// Puts the SQLite driver into dist, without what npm would compile. Node.js 20 needs the version in node_modules, and builds it once.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import driverFolder from './driver-folder.cjs';

const root = join(import.meta.dirname, '..');
const source = join(root, 'node_modules/better-sqlite3-13');
const target = join(root, 'dist/better-sqlite3');
if (!existsSync(source)) throw new Error('better-sqlite3 13 is not installed. Run: npm ci');
const readManifest = (folder) => {
  const file = join(folder, 'package.json');
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
};

// An emulator can have loaded the existing files.
if (readManifest(source) !== readManifest(target)) {
  rmSync(target, { recursive: true, force: true });
  // The manifest last: it says that the copy is complete.
  for (const name of ['lib', 'prebuilds', 'LICENSE', 'package.json'])
    cpSync(join(source, name), join(target, name), { recursive: true });
}

if (!existsSync(join(driverFolder, 'prebuilds')) && !existsSync(join(driverFolder, 'build/Release'))) {
  console.error('Building better-sqlite3 12 for Node.js 20, once. This takes up to 6 minutes…');
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' };
  execFileSync('npm', ['rebuild', '--loglevel=error', '--ignore-scripts=false', 'better-sqlite3'], options);
}
