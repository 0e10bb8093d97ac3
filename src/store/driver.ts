/** Loads better-sqlite3. No other module imports it at run time. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Database from 'better-sqlite3';
import { SvcError } from '../errors.ts';
import {
  findPackageManager,
  getBuildCommand,
  getInstallCommand,
  getUpdateCommand,
  type PackageManager,
} from './install-commands.ts';

type Driver = typeof Database;

/** The inputs for the choice of the driver and for its error messages. */
export interface DriverEnvironment {
  readonly require: NodeJS.Require;
  /** Such as `24.19.0`. */
  readonly nodeVersion: string;
  findPackageManager(): PackageManager;
}

const DRIVER = 'better-sqlite3';
/** Version 12 in a clone of this repository on Node.js 20, where the lockfile has version 13 under the usual name. */
const CLONE_DRIVER = 'better-sqlite3-node-20';

let loadedDriver: Driver | undefined;

/**
 * Opens a SQLite database.
 * @throws SvcError `sqlite_unavailable` if the driver is missing, not built, built for another Node.js, or known to
 *   crash in this one; otherwise the error of SQLite.
 */
export function openSqlite(path: string, options?: Database.Options): Database.Database {
  loadedDriver ??= loadDriver(getCurrentEnvironment());
  return new loadedDriver(path, options);
}

/**
 * The path of the driver, for a child process that requires it.
 * @throws SvcError `sqlite_unavailable`
 */
export function resolveDriver(): string {
  const environment = getCurrentEnvironment();
  return environment.require.resolve(choosePackage(environment).name);
}

function getCurrentEnvironment(): DriverEnvironment {
  // A CommonJS bundle has no `import.meta.url`.
  const module = import.meta.url ? fileURLToPath(import.meta.url) : join(process.cwd(), 'package.json');
  return {
    require: createRequire(module),
    nodeVersion: process.versions.node,
    findPackageManager: () => findPackageManager(dirname(module), process.env.npm_config_user_agent),
  };
}

/** @throws SvcError `sqlite_unavailable` */
export function loadDriver(environment: DriverEnvironment): Driver {
  const { name, version } = choosePackage(environment);
  try {
    const driver = environment.require(name) as Driver;
    // Opening a database loads the native part.
    new driver(':memory:').close();
    return driver;
  } catch (error) {
    throw toDriverError(error as NodeJS.ErrnoException, version, environment);
  }
}

function choosePackage(environment: DriverEnvironment): { name: string; version: string } {
  const { require, nodeVersion } = environment;
  const version = findVersion(require, DRIVER);
  if (version === null) {
    throw createUnavailableError(
      `The SQLite driver ${DRIVER} is not installed.`,
      `Install it: ${getInstallCommand(environment.findPackageManager())}`,
    );
  }
  if (!isKnownToCrash(version, nodeVersion)) return { name: DRIVER, version };
  if (findVersion(require, CLONE_DRIVER) !== null) return { name: CLONE_DRIVER, version: '12' };
  const message = `${DRIVER} ${version} crashes on Node.js ${nodeVersion}.`;
  throw createUnavailableError(message, getCrashHint(version, environment));
}

function findVersion(require: NodeJS.Require, name: string): string | null {
  try {
    return (require(`${name}/package.json`) as { version: string }).version;
  } catch {
    return null;
  }
}

/** Measured: version 13 crashes Node.js 20 at once; version 12 aborts Node.js 24.19 and later during garbage collection. */
function isKnownToCrash(driverVersion: string, nodeVersion: string): boolean {
  const [driver = 0] = driverVersion.split('.').map(Number);
  return driver >= 13 ? isOlder(nodeVersion, 22, 0) : !isOlder(nodeVersion, 24, 19);
}

function isOlder(nodeVersion: string, major: number, minor: number): boolean {
  const [nodeMajor = 0, nodeMinor = 0] = nodeVersion.split('.').map(Number);
  return nodeMajor < major || (nodeMajor === major && nodeMinor < minor);
}

function getCrashHint(version: string, { findPackageManager }: DriverEnvironment): string {
  const manager = findPackageManager();
  if (!version.startsWith('13.')) return `Update it: ${getUpdateCommand(manager)}`;
  const hint = 'Use Node.js 22 or later';
  // The other package managers install a separate version for this package.
  return manager.name === 'npm' && !manager.isGlobal
    ? `${hint}, or install version 12: npm install ${DRIVER}@^12.11.1`
    : `${hint}.`;
}

function toDriverError(
  error: NodeJS.ErrnoException,
  version: string,
  { nodeVersion, findPackageManager }: DriverEnvironment,
): SvcError {
  const [reason = ''] = error.message.split('\n');
  const isUnbuilt = error.code === 'MODULE_NOT_FOUND' || error.message.includes('bindings file');
  const message = /NODE_MODULE_VERSION|different Node\.js version/.test(error.message)
    ? `${DRIVER} ${version} was built for a different version of Node.js than ${nodeVersion}.`
    : isUnbuilt
      ? `${DRIVER} ${version} is installed, but its native part was not built.`
      : `${DRIVER} ${version} cannot be loaded: ${reason}.`;
  const manager = findPackageManager();
  const build = getBuildCommand(manager);
  const hint = version.startsWith('13.')
    ? `Build it: ${build}`
    : isOlder(nodeVersion, 22, 0)
      ? `Use Node.js 22 or later, which needs no build, or build it: ${build}`
      : `Use version 13, which needs no build: ${getUpdateCommand(manager)}. Or build it: ${build}`;
  return createUnavailableError(message, hint, error);
}

function createUnavailableError(message: string, hint: string, cause?: unknown): SvcError {
  return new SvcError('sqlite_unavailable', message, { hint, cause });
}
