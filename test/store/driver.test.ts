import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadDriver } from '../../src/store/driver.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

interface Failure {
  readonly message: string;
  readonly code?: string;
}

interface Installed {
  /** Version of the package in the project; null when it is not installed. */
  readonly version?: string | null;
  /** What happens when the native addon of the project's package is loaded. */
  readonly failure?: Failure;
  /** What happens when the native addon of the driver in svc-emulator is loaded. */
  readonly ownFailure?: Failure;
  readonly nodeVersion?: string;
  readonly nodeApi?: number;
}

/** Writes a stand-in for better-sqlite3, which fails in the way of the real one. */
function writeDriver(folder: string, version: string, failure?: Failure): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version, main: 'index.js' }));
  const failing = `throw Object.assign(new Error(${JSON.stringify(failure?.message)}), ${JSON.stringify(failure ?? {})})`;
  writeFileSync(
    join(folder, 'index.js'),
    `module.exports = class { constructor() { ${failure ? failing : ''} } close() {} };
     module.exports.folder = ${JSON.stringify(folder)};`,
  );
}

/** Loads the driver of a project, and returns whether it is the `own` one of svc-emulator, or the `installed` one. */
function load({ version = null, failure, ownFailure, nodeVersion = '24.19.0', nodeApi = 10 }: Installed) {
  const project = createTemporaryFolder();
  const installed = join(project, 'node_modules/better-sqlite3');
  const own = join(project, 'node_modules/svc-emulator');
  if (version !== null) writeDriver(installed, version, failure);
  writeDriver(join(own, 'dist/better-sqlite3'), '13.2.0', ownFailure);
  const driver = loadDriver({
    requireOwn: createRequire(join(own, 'package.json')),
    requireInstalled: createRequire(join(project, 'package.json')),
    nodeVersion,
    nodeApi,
  });
  return (driver as unknown as { folder: string }).folder === installed ? 'installed' : 'own';
}

const node20 = { nodeVersion: '20.20.2', nodeApi: 9 };
const UNBUILT = { message: 'Could not locate the bindings file. Tried:\n → /a\n → /b' };
const OTHER_NODE = {
  message:
    "The module '/a.node'\nwas compiled against a different Node.js version using\nNODE_MODULE_VERSION 115.",
  code: 'ERR_DLOPEN_FAILED',
};
const OLD_SYSTEM = { message: "version `GLIBC_2.99' not found", code: 'ERR_DLOPEN_FAILED' };

function expectRefusal(installed: Installed, expected: object): void {
  expect(() => load(installed)).toThrow(
    expect.objectContaining({ code: 'sqlite_unavailable', ...expected }) as unknown as Error,
  );
}

describe('loadDriver', () => {
  it.each([
    { used: 'own', case: 'Node.js 24 without better-sqlite3 in the project', installed: {} },
    { used: 'own', case: 'Node.js 24 with version 12 in the project', installed: { version: '12.11.1' } },
    { used: 'installed', case: 'Node.js 20 with version 12', installed: { version: '12.11.1', ...node20 } },
    {
      used: 'installed',
      case: 'a computer without a binary and with a compiled version 13',
      installed: { version: '13.2.0', ownFailure: OLD_SYSTEM },
    },
  ])('loadDriver uses the $used driver on $case', ({ used, installed }) => {
    expect(load(installed)).toBe(used);
  });

  const hint12 = {
    text: 'Use Node.js 22.14 or later, or install and build it',
    command: 'npm install --save-dev better-sqlite3@12 && npm rebuild better-sqlite3',
  };
  const hint13 = {
    text: 'Install it and compile it for this computer',
    command:
      'npm install --save-dev better-sqlite3@13 && npm explore better-sqlite3 -- npm run build-release',
  };

  it.each<[Installed, reason: string]>([
    [{ version: '13.2.0' }, 'version 13.2.0 is installed'],
    [{}, 'it is not installed'],
    [{ version: '12.11.1', failure: UNBUILT }, 'it cannot be loaded: Could not locate the bindings file'],
    [
      { version: '12.11.1', failure: OTHER_NODE },
      "it cannot be loaded: The module '/a.node' was compiled against a different Node.js version using NODE_MODULE_VERSION 115",
    ],
  ])('on Node.js 20, the error for the driver %j says why and how to get version 12', (installed, reason) => {
    expectRefusal(
      { ...installed, ...node20 },
      { message: `On Node.js 20.20.2, svc needs better-sqlite3 12, but ${reason}.`, hint: hint12 },
    );
  });

  it.each<[Installed, reason: string]>([
    [{ version: '12.11.1', ownFailure: OLD_SYSTEM }, "it cannot be loaded: version `GLIBC_2.99' not found"],
    [
      { version: '13.2.0', ownFailure: OLD_SYSTEM, failure: UNBUILT },
      'it cannot be loaded: Could not locate the bindings file',
    ],
  ])('on Node.js 24, the error for the driver %j says why and how to get version 13', (installed, reason) => {
    expectRefusal(installed, {
      message: `On Node.js 24.19.0, svc needs better-sqlite3 13, but ${reason}.`,
      hint: hint13,
    });
  });
});
