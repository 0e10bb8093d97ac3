import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DriverEnvironment, loadDriver, openSqlite } from '../../src/store/driver.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

interface Installed {
  /** Version of the package; null when it is not installed. */
  readonly version: string | null;
  /** What happens when its native addon is loaded. */
  readonly failure?: { readonly message: string; readonly code?: string };
  readonly nodeVersion?: string;
}

/** A project with a stand-in for better-sqlite3, which fails in the way of the real one. */
function install({
  version,
  failure,
  nodeVersion = '22.3.0',
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
  return { require, nodeVersion };
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
  });

  it.each(['24.19.0', '25.0.0', '26.10.0'])(
    'loadDriver refuses better-sqlite3 12 on Node.js %s, which it would crash',
    (nodeVersion) => {
      expect(refusalOf({ version: '12.11.1', nodeVersion })).toMatchObject({
        code: 'sqlite_unavailable',
        message: `better-sqlite3 12.11.1 crashes on Node.js ${nodeVersion}.`,
        hint: { text: 'Update it', command: 'npm update better-sqlite3' },
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

  it('the error for a missing driver contains the command that installs it', () => {
    expect(refusalOf({ version: null })).toMatchObject({
      code: 'sqlite_unavailable',
      message: 'The SQLite driver better-sqlite3 is not installed.',
      hint: { text: 'Install it', command: 'npm install better-sqlite3' },
    });
  });

  it.each([
    ['12.11.1', 'Use version 13 and Node.js 22 or later, which need no build, or build it'],
    ['13.2.0', 'Build it'],
  ])('the error for an unbuilt better-sqlite3 %s contains the command that builds it', (version, text) => {
    expect(refusalOf({ version, failure: UNBUILT })).toMatchObject({
      code: 'sqlite_unavailable',
      message: `better-sqlite3 ${version} is installed, but its native addon was not built.`,
      hint: { text, command: 'npm rebuild better-sqlite3' },
    });
  });

  it('the error for a driver that was built for another Node.js names that version', () => {
    expect(refusalOf({ version: '12.11.1', failure: OTHER_NODE })).toMatchObject({
      message: 'better-sqlite3 12.11.1 was built for a different version of Node.js than 22.3.0.',
      hint: { command: 'npm rebuild better-sqlite3' },
    });
  });

  it('the error for a native addon that cannot be loaded contains the reason', () => {
    const failure = { message: "version `GLIBC_2.99' not found", code: 'ERR_DLOPEN_FAILED' };
    expect(refusalOf({ version: '13.2.0', failure })).toMatchObject({
      message: "better-sqlite3 13.2.0 cannot be loaded: version `GLIBC_2.99' not found.",
    });
  });
});
