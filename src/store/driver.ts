/** Loads better-sqlite3. No other module imports it at run time. */
import type Database from 'better-sqlite3';
import { type Hint, SvcError } from '../errors.ts';
import { createDriverRequire, createOwnRequire, readEmbeddedAddon } from '../package-files.ts';
import { unpackAddon } from './addon-cache.ts';

type Driver = typeof Database;

/** The inputs for the choice of the driver and for its error messages. */
export interface DriverEnvironment {
  require(id: string): unknown;
  /** Such as `24.19.0`. */
  readonly nodeVersion: string;
  /** Path of the native addon; undefined if the driver finds it itself. */
  readonly nativeBinding?: string | undefined;
}

const DRIVER = 'better-sqlite3';
/** The commands are those of npm. `docs/installing.md` lists those of other package managers. */
const INSTALL: Hint = { text: 'Install it', command: `npm install ${DRIVER}` };
const UPDATE: Hint = { text: 'Update it', command: `npm update ${DRIVER}` };
const INSTALL_12: Hint = {
  text: 'Use Node.js 22 or later, or install version 12',
  command: `npm install ${DRIVER}@^12.11.1`,
};
const BUILD: Hint = { text: 'Build it', command: `npm rebuild ${DRIVER}` };
const BUILD_12: Hint = {
  ...BUILD,
  text: 'Use version 13 and Node.js 22 or later, which need no build, or build it',
};
/**
 * Alias of version 12, only for developing on Node.js 20: the lockfile installs version 13 as `better-sqlite3`. See
 * `scripts/sqlite-for-node-20`.
 */
const DEVELOPMENT_DRIVER = 'better-sqlite3-node-20';

let environment: DriverEnvironment | undefined;
let loadedDriver: Driver | undefined;

/**
 * Opens a SQLite database.
 * @throws SvcError `sqlite_unavailable` if the driver is missing, not built, built for another Node.js, or known to
 *   crash in this one; otherwise the error of SQLite.
 */
export function openSqlite(path: string, options?: Database.Options): Database.Database {
  const driver = loadSqlite();
  return new driver(path, { ...options, nativeBinding: environment?.nativeBinding });
}

/**
 * Loads the driver, which {@link openSqlite} does too.
 * @throws SvcError `sqlite_unavailable`
 */
export function loadSqlite(): Driver {
  environment ??= getCurrentEnvironment();
  loadedDriver ??= loadDriver(environment);
  return loadedDriver;
}

/**
 * The path of the driver, for a child process that requires it. Not for the single executable.
 * @throws SvcError `sqlite_unavailable`
 */
export function resolveDriver(): string {
  return createOwnRequire().resolve(choosePackage(getCurrentEnvironment()).name);
}

function getCurrentEnvironment(): DriverEnvironment {
  const addon = readEmbeddedAddon();
  return {
    nativeBinding: addon === null ? undefined : unpackAddon(addon),
    require: createDriverRequire(),
    nodeVersion: process.versions.node,
  };
}

/** @throws SvcError `sqlite_unavailable` */
export function loadDriver(environment: DriverEnvironment): Driver {
  const { name, version } = choosePackage(environment);
  const { nativeBinding } = environment;
  try {
    const driver = environment.require(name) as Driver;
    // Opening a database loads the native addon.
    new driver(':memory:', { nativeBinding }).close();
    return driver;
  } catch (error) {
    throw toDriverError(error as NodeJS.ErrnoException, version, environment);
  }
}

function choosePackage({ require, nodeVersion }: DriverEnvironment): { name: string; version: string } {
  const version = findVersion(require, DRIVER);
  if (version === null) {
    throw createUnavailableError(`The SQLite driver ${DRIVER} is not installed.`, INSTALL);
  }
  if (!isKnownToCrash(version, nodeVersion)) return { name: DRIVER, version };
  if (findVersion(require, DEVELOPMENT_DRIVER) !== null) return { name: DEVELOPMENT_DRIVER, version: '12' };
  const message = `${DRIVER} ${version} crashes on Node.js ${nodeVersion}.`;
  throw createUnavailableError(message, version.startsWith('13.') ? INSTALL_12 : UPDATE);
}

function findVersion(require: DriverEnvironment['require'], name: string): string | null {
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

function toDriverError(
  error: NodeJS.ErrnoException,
  version: string,
  { nodeVersion, nativeBinding }: DriverEnvironment,
): SvcError {
  const [reason = ''] = error.message.split('\n');
  if (nativeBinding !== undefined) {
    const hint = 'Set XDG_CACHE_HOME to a folder on a file system from which programs can be run.';
    return createUnavailableError(`${nativeBinding} cannot be loaded: ${reason}.`, hint, error);
  }
  const isUnbuilt = error.code === 'MODULE_NOT_FOUND' || error.message.includes('bindings file');
  const message = /NODE_MODULE_VERSION|different Node\.js version/.test(error.message)
    ? `${DRIVER} ${version} was built for a different version of Node.js than ${nodeVersion}.`
    : isUnbuilt
      ? `${DRIVER} ${version} is installed, but its native addon was not built.`
      : `${DRIVER} ${version} cannot be loaded: ${reason}.`;
  return createUnavailableError(message, version.startsWith('13.') ? BUILD : BUILD_12, error);
}

function createUnavailableError(message: string, hint: Hint | string, cause?: unknown): SvcError {
  return new SvcError('sqlite_unavailable', message, { hint, cause });
}
