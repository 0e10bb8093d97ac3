import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type DriverEnvironment,
  findPackageManager,
  loadDriver,
  openSqlite,
  type PackageManager,
} from '../../src/store/driver.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const npm: PackageManager = { name: 'npm', major: 11, isGlobal: false };

interface Installed {
  /** Version of the package; null when it is not installed. */
  readonly version: string | null;
  /** What happens when its native addon is loaded. */
  readonly failure?: { readonly message: string; readonly code?: string };
  readonly nodeVersion?: string;
  readonly manager?: PackageManager;
}

/** A project with a stand-in for better-sqlite3, which fails in the way of the real one. */
function install({
  version,
  failure,
  nodeVersion = '22.3.0',
  manager = npm,
}: Installed): DriverEnvironment & { require: NodeJS.Require } {
  const project = createTemporaryFolder();
  const folder = join(project, 'node_modules/better-sqlite3');
  if (version !== null) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version, main: 'index.js' }));
    const failing = `throw Object.assign(new Error(${JSON.stringify(failure?.message)}), ${JSON.stringify(failure ?? {})})`;
    writeFileSync(
      join(folder, 'index.js'),
      `module.exports = class { constructor() { ${failure ? failing : ''} } close() {} };`,
    );
  }
  const require = createRequire(join(project, 'index.js'));
  return { require, nodeVersion, findPackageManager: () => manager };
}

const refusalOf = (installed: Installed) => {
  try {
    loadDriver(install(installed));
    return null;
  } catch (error) {
    return error;
  }
};

const UNBUILT = { message: 'Could not locate the bindings file. Tried:\n → /a\n → /b' };
const OTHER_NODE = {
  message:
    "The module '/a.node'\nwas compiled against a different Node.js version using\nNODE_MODULE_VERSION 115.",
  code: 'ERR_DLOPEN_FAILED',
};

describe('openSqlite', () => {
  it('openSqlite opens a database on this version of Node.js', () => {
    const db = openSqlite(':memory:');
    expect(db.prepare('SELECT 1').pluck().get()).toBe(1);
    db.close();
  });

  it.each([
    ['12.11.1', '20.19.0'],
    ['12.11.1', '22.3.0'],
    ['12.11.1', '24.18.0'],
    ['13.2.0', '22.0.0'],
    ['13.2.0', '24.19.0'],
    ['13.2.0', '26.10.0'],
  ])('loadDriver uses better-sqlite3 %s on Node.js %s', (version, nodeVersion) => {
    expect(refusalOf({ version, nodeVersion })).toBeNull();
  });

  it('loadDriver refuses better-sqlite3 13 on Node.js 20, which it would crash', () => {
    expect(refusalOf({ version: '13.2.0', nodeVersion: '20.20.2' })).toMatchObject({
      code: 'sqlite_unavailable',
      message: 'better-sqlite3 13.2.0 crashes on Node.js 20.20.2.',
      hint: {
        text: 'Use Node.js 22 or later, or install version 12',
        command: 'npm install better-sqlite3@^12.11.1',
      },
    });
    const pnpm: PackageManager = { name: 'pnpm', major: null, isGlobal: false };
    expect(refusalOf({ version: '13.2.0', nodeVersion: '20.20.2', manager: pnpm })).toMatchObject({
      hint: { text: 'Use Node.js 22 or later.' },
    });
  });

  it.each([
    ['24.19.0', 'npm', 'npm update better-sqlite3'],
    ['24.21.0', 'pnpm', 'pnpm update --depth Infinity better-sqlite3'],
    ['25.0.0', 'yarn', 'yarn up --recursive better-sqlite3'],
    ['26.10.0', 'bun', 'bun update better-sqlite3'],
  ] as const)(
    'loadDriver refuses better-sqlite3 12 on Node.js %s with the update command of %s',
    (nodeVersion, name, command) => {
      const manager: PackageManager = { name, major: null, isGlobal: false };
      expect(refusalOf({ version: '12.11.1', nodeVersion, manager })).toMatchObject({
        code: 'sqlite_unavailable',
        message: `better-sqlite3 12.11.1 crashes on Node.js ${nodeVersion}.`,
        hint: { text: 'Update it', command },
      });
    },
  );

  it('loadDriver uses version 12 under its other name in a clone on Node.js 20', () => {
    const environment = install({ version: '13.2.0', nodeVersion: '20.19.0' });
    const folder = join(environment.require.resolve('better-sqlite3'), '../../better-sqlite3-node-20');
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{"version":"1.0.0","main":"index.js"}');
    writeFileSync(join(folder, 'index.js'), 'module.exports = class Twelve { close() {} };');
    expect(loadDriver(environment).name).toBe('Twelve');
  });

  it.each([
    ['npm', 'npm install better-sqlite3'],
    ['pnpm', 'pnpm add better-sqlite3'],
    ['yarn', 'yarn add better-sqlite3'],
    ['bun', 'bun add better-sqlite3'],
  ] as const)('the error for a missing driver contains the install command of %s', (name, command) => {
    const manager: PackageManager = { name, major: null, isGlobal: false };
    expect(refusalOf({ version: null, manager })).toMatchObject({
      code: 'sqlite_unavailable',
      message: 'The SQLite driver better-sqlite3 is not installed.',
      hint: { text: 'Install it', command },
    });
  });

  it.each<[string, PackageManager, string]>([
    ['npm 11', npm, 'npm rebuild better-sqlite3'],
    [
      'npm 12',
      { ...npm, major: 12 },
      'npm install-scripts approve better-sqlite3 && npm rebuild better-sqlite3',
    ],
    [
      'npm of an unknown version',
      { ...npm, major: null },
      'npm rebuild better-sqlite3 (with npm 12: npm install-scripts approve better-sqlite3 && npm rebuild better-sqlite3)',
    ],
    ['npm, globally', { ...npm, isGlobal: true }, 'npm rebuild --global better-sqlite3'],
    [
      'pnpm',
      { name: 'pnpm', major: 12, isGlobal: false },
      'pnpm approve-builds better-sqlite3 && pnpm rebuild better-sqlite3',
    ],
    [
      'yarn',
      { name: 'yarn', major: 4, isGlobal: false },
      'yarn config set enableScripts true && yarn rebuild better-sqlite3',
    ],
    ['bun', { name: 'bun', major: 1, isGlobal: false }, 'bun pm trust better-sqlite3'],
  ])('the error for a driver that %s did not build contains the build command', (_, manager, command) => {
    expect(
      refusalOf({ version: '12.11.1', failure: UNBUILT, nodeVersion: '20.19.0', manager }),
    ).toMatchObject({
      code: 'sqlite_unavailable',
      message: 'better-sqlite3 12.11.1 is installed, but its native addon was not built.',
      hint: { text: 'Use Node.js 22 or later, which needs no build, or build it', command },
    });
  });

  it('the error for a driver that was built for another Node.js suggests version 13, which needs no build', () => {
    expect(refusalOf({ version: '12.11.1', failure: OTHER_NODE })).toMatchObject({
      message: 'better-sqlite3 12.11.1 was built for a different version of Node.js than 22.3.0.',
      hint: {
        text: 'Use version 13, which needs no build, with npm update better-sqlite3, or build it',
        command: 'npm rebuild better-sqlite3',
      },
    });
  });

  it('the error for a native addon that cannot be loaded contains the reason', () => {
    const failure = { message: "version `GLIBC_2.99' not found", code: 'ERR_DLOPEN_FAILED' };
    expect(refusalOf({ version: '13.2.0', failure })).toMatchObject({
      message: "better-sqlite3 13.2.0 cannot be loaded: version `GLIBC_2.99' not found.",
    });
  });
});

describe('findPackageManager', () => {
  function createProject(...files: string[]): string {
    const project = createTemporaryFolder();
    const packageFolder = join(project, 'node_modules/svc-emulator/dist');
    mkdirSync(packageFolder, { recursive: true });
    for (const file of files) {
      mkdirSync(dirname(join(project, file)), { recursive: true });
      writeFileSync(join(project, file), '');
    }
    return packageFolder;
  }

  it.each([
    ['npm', ['node_modules/.package-lock.json']],
    ['pnpm', ['node_modules/.modules.yaml']],
    ['yarn', ['node_modules/.yarn-state.yml']],
    ['yarn', ['.pnp.cjs']],
    ['bun', ['bun.lock']],
    ['npm', ['node_modules/.package-lock.json', 'bun.lock']],
  ])('findPackageManager finds %s by %j', (name, files) => {
    expect(findPackageManager(createProject(...files))).toEqual({ name, major: null, isGlobal: false });
  });

  it('findPackageManager reads the version from the user agent of the same package manager', () => {
    const folder = createProject('node_modules/.package-lock.json');
    expect(findPackageManager(folder, 'npm/12.2.0 node/v24.19.0 linux x64').major).toBe(12);
    expect(findPackageManager(folder, 'pnpm/12.21.0 npm/? node/v24.19.0 linux x64').major).toBeNull();
  });

  it('findPackageManager treats a folder outside a project as a global npm installation', () => {
    expect(findPackageManager(createProject())).toEqual({ name: 'npm', major: null, isGlobal: true });
  });
});
