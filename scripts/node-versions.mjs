// Downloads other Node.js versions from npm to node_modules/.cache/svc-node/<version>.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { npmPack } from './npm-pack.mjs';

/**
 * The version in the single executable: of the newest line with long-term support that runs on a Linux without libatomic, which slim
 * images do not have and Node.js 26 needs. An exact version, so that two builds are the same.
 */
export const EXECUTABLE_NODE = '24.21.0';

const cacheFolder = join(import.meta.dirname, '../node_modules/.cache/svc-node');
const isWindows = process.platform === 'win32';
const packageName = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;

/** Whether a text names a Node.js version: `24`, `24.21` or `24.21.0`. */
export function isNodeVersion(text) {
  return /^\d+(?:\.\d+){0,2}$/.test(text);
}

/**
 * Downloads and unpacks the newest published Node.js version that matches.
 * @param spec see {@link isNodeVersion}
 * @returns its exact version, its folder, its program, and the folder of the program
 */
export async function getNode(spec) {
  const version = await findVersion(spec);
  const folder = join(cacheFolder, version);
  if (!existsSync(folder)) await unpack(version, folder);
  const binFolder = join(folder, 'bin');
  return { version, folder, binFolder, program: join(binFolder, isWindows ? 'node.exe' : 'node') };
}

/** The environment variables of this process, with a Node.js version first in PATH. */
export function withNode({ binFolder }, env = process.env) {
  const name = Object.keys(env).find((key) => key.toUpperCase() === 'PATH') ?? 'PATH';
  return { ...env, [name]: `${binFolder}${delimiter}${env[name] ?? ''}` };
}

async function findVersion(spec) {
  if (spec.split('.').length === 3) return spec;
  const { stdout } = await execa('npm', ['view', `${packageName}@${spec}`, 'version', '--json']).catch(() => {
    throw new Error(`npm has no ${packageName}@${spec}, or the registry cannot be reached.`);
  });
  // A text for one version, a list for several.
  const newestFirst = [JSON.parse(stdout || '[]')].flat().sort((a, b) => compareVersions(b, a));
  if (newestFirst.length === 0) throw new Error(`npm has no ${packageName}@${spec}.`);
  return newestFirst[0];
}

function compareVersions(a, b) {
  return a.localeCompare(b, 'en', { numeric: true });
}

async function unpack(version, folder) {
  mkdirSync(cacheFolder, { recursive: true });
  const temporary = mkdtempSync(join(cacheFolder, 'unpacking-'));
  try {
    const { filename } = await npmPack(temporary, `${packageName}@${version}`).catch((error) => {
      throw new Error(`npm pack ${packageName}@${version} failed: ${error.stderr.trim().split('\n')[0]}`);
    });
    await execa('tar', ['-xzf', filename], { cwd: temporary });
    renameSync(join(temporary, 'package'), folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
