// Builds the program if a source file is newer than the build. `npm start`, `npm run demo`, `npm run package` and the tests run it.
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const modifiedAt = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
const sources = ['src', 'scripts'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, path)),
);
const isCurrent = ['package.json', 'package-lock.json', ...sources].every(
  (path) => modifiedAt(path) < modifiedAt('dist/start.js'),
);
const run = (script) =>
  execFileSync(process.execPath, [join(root, 'scripts', script)], { cwd: root, stdio: 'inherit' });
run('prepare-driver.mjs');
if (!isCurrent) run('build.mjs');
