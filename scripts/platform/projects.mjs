// Projects in temporary folders, with the packed package installed.
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import driverFolder from '../driver-folder.cjs';
import { npmPack } from '../npm-pack.mjs';

export const root = join(import.meta.dirname, '../..');
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const cache = join(root, 'node_modules/.cache');
const folders = [];

export function createFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-platform-'));
  folders.push(folder);
  return folder;
}

/** Removes everything that {@link createFolder} created. */
export function removeFolders() {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** A folder with a package.json. */
export function createProject() {
  const folder = createFolder();
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  return folder;
}

const foreign = /^(?:SVC_|NO_COLOR$|FORCE_COLOR$|NODE_OPTIONS$|NODE_(?:DISABLE_)?COMPILE_CACHE$)/;
const ownEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !foreign.test(name)),
);

/** Runs a program without SVC_ variables, with the programs of the packages in `cwd`. An exit code other than 0 is a result. */
export function run(cwd, file, args, { env = {}, ...options } = {}) {
  return execa(file, args, {
    ...{ cwd, all: true, stdin: 'ignore', reject: false, timeout: 60_000, preferLocal: true, localDir: cwd },
    ...{
      extendEnv: false,
      env: { ...ownEnvironment, NO_COLOR: '1', XDG_CACHE_HOME: cache, ...env },
      ...options,
    },
  });
}

export const runNode = (cwd, args, options) => run(cwd, process.execPath, args, options);

/** Fails with the output of the program if it exited with another code, or printed something else. */
export function expectOutput(result, exitCode, ...patterns) {
  assert.equal(result.exitCode, exitCode, result.all);
  for (const pattern of patterns) assert.match(result.all, pattern);
  return result;
}

/** Installs packages: without their scripts, and without a request if npm has them in its cache. */
export async function npmInstall(cwd, packages) {
  const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await execa('npm', ['install', ...options, ...packages], { cwd });
}

let unpacked;

/** The folder of the packed package. It is packed once. */
export function unpackPackage() {
  unpacked ??= (async () => {
    const folder = createFolder();
    const { filename } = await npmPack(folder);
    await execa('tar', ['-xzf', filename], { cwd: folder });
    return join(folder, 'package');
  })();
  return unpacked;
}

/**
 * Installs the packed package in a project without a download, with the SQLite driver that Node.js 20 needs.
 * @param packages other packages of the project. They become links to those of this repository, unless they are installed.
 */
export async function installPacked(project, packages = []) {
  const modules = join(project, 'node_modules');
  cpSync(await unpackPackage(), join(modules, manifest.name), { recursive: true });
  for (const name of [...packages, 'better-sqlite3'])
    link(join(root, 'node_modules', name), join(modules, name));
  for (const [name, path] of Object.entries(manifest.bin))
    link(join('..', manifest.name, path), join(modules, '.bin', name));
}

/** Installs the driver as `npm i -D better-sqlite3@12` does, which takes minutes. Only Node.js 20 needs it. */
export function installDriver(project) {
  if (driverFolder.includes('node_modules')) link(driverFolder, join(project, 'node_modules/better-sqlite3'));
}

function link(target, path) {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
