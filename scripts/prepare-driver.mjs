// Puts the SQLite driver into dist, without what npm would compile. Node.js 20 needs the version in node_modules, and builds it once.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import driverFolder from './driver-folder.cjs';

const root = join(import.meta.dirname, '..');
const source = join(root, 'node_modules/better-sqlite3-13');
const target = join(root, 'dist/better-sqlite3');
if (!existsSync(source)) throw new Error('better-sqlite3 13 is not installed. Run: npm ci');
const { name, version, license, main } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
// A part of it: `exports` has no effect below the root of a package.
const manifest = JSON.stringify({ name, version, license, main });
const manifestFile = join(target, 'package.json');

// An emulator can have loaded the existing files.
if (!existsSync(manifestFile) || readFileSync(manifestFile, 'utf8') !== manifest) {
  rmSync(target, { recursive: true, force: true });
  for (const part of ['lib', 'prebuilds', 'LICENSE'])
    cpSync(join(source, part), join(target, part), { recursive: true });
  // The last step: it says that the copy is complete.
  writeFileSync(manifestFile, manifest);
}

if (!existsSync(join(driverFolder, 'prebuilds')) && !existsSync(join(driverFolder, 'build/Release'))) {
  console.error('Building better-sqlite3 12 for Node.js 20, once. This takes up to 6 minutes…');
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' };
  execFileSync('npm', ['rebuild', '--loglevel=error', '--ignore-scripts=false', 'better-sqlite3'], options);
}
