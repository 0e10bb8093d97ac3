/** Loads better-sqlite3. No other module imports it at run time. */
import { createRequire } from 'node:module';
import type Database from 'better-sqlite3';
import { type Hint, SvcError } from '../domain/errors.ts';
import { createPackageRequire, createProjectRequire, executable } from '../platform/package-files.ts';
import { unpackAddon } from './addon-cache.ts';

type Driver = typeof Database;
type Require = (id: string) => unknown;

/** The inputs for the choice of the driver and for its error messages. */
export interface DriverEnvironment {
  /** Finds `./dist/better-sqlite3` of this package. */
  readonly requireOwn: Require;
  /** Finds the `better-sqlite3` of the project. */
  readonly requireInstalled: Require;
  /** Such as `24.19.0`. */
  readonly nodeVersion: string;
  /** The version of Node-API, with which native addons call Node.js. */
  readonly nodeApi: number;
}

const DRIVER = 'better-sqlite3';
/** Node.js 22.14 is the first with it. Version 13 crashes without: https://github.com/WiseLibs/better-sqlite3/issues/1514 */
const NODE_API_OF_13 = 10;
/** What to do about a driver that is missing or cannot be loaded. The commands are those of npm; `docs/installing.md` lists others. */
const HINTS: Readonly<Record<12 | 13, Hint>> = {
  12: {
    text: 'Use Node.js 22.14 or later, or install and build it',
    command: `npm install --save-dev ${DRIVER}@12 && npm rebuild ${DRIVER}`,
  },
  13: {
    text: 'Install it and compile it for this computer',
    command: `npm install --save-dev ${DRIVER}@13 && npm explore ${DRIVER} -- npm run build-release`,
  },
};

/** The options are those of this process: in the single executable, the driver needs its native addon. */
let loaded: { readonly driver: Driver; readonly options?: Database.Options } | undefined;

/**
 * Opens a SQLite database.
 * @throws SvcError `sqlite_unavailable` if there is no driver for this Node.js and this computer; otherwise the error of SQLite.
 */
export function openSqlite(path: string, options?: Database.Options): Database.Database {
  loaded ??= load();
  return new loaded.driver(path, { ...options, ...loaded.options });
}

/**
 * Loads the driver, which {@link openSqlite} does too.
 * @throws SvcError `sqlite_unavailable`
 */
export function loadSqlite(): void {
  loaded ??= load();
}

function load(): NonNullable<typeof loaded> {
  if (executable === null) {
    const environment = {
      requireOwn: createPackageRequire(),
      requireInstalled: createProjectRequire(DRIVER),
      nodeVersion: process.versions.node,
      nodeApi: Number(process.versions.napi),
    };
    return { driver: loadDriver(environment) };
  }
  const path = unpackAddon(executable.addon);
  try {
    // Not its path, because the script of a single executable can require only modules of Node.js.
    const options = { nativeBinding: createRequire(path)(path) };
    return { driver: check(executable.driver, options), options };
  } catch (error) {
    const hint = 'Set XDG_CACHE_HOME to a folder on a file system from which programs can be run.';
    throw createUnavailableError(`${path} cannot be loaded: ${readReason(error)}.`, hint, error);
  }
}

/**
 * Loads version 13 from this package, which has binaries for most computers. The project has to have its own driver if Node.js
 * needs version 12, or if there is no binary.
 * @throws SvcError `sqlite_unavailable`
 */
export function loadDriver(environment: DriverEnvironment): Driver {
  const { requireOwn, requireInstalled, nodeVersion, nodeApi } = environment;
  const major = nodeApi < NODE_API_OF_13 ? 12 : 13;
  const version = findVersion(requireInstalled);
  let reason = version === null ? 'it is not installed' : `version ${version} is installed`;
  let cause: unknown;
  for (const [require, id] of [
    [major === 13 ? requireOwn : null, `./dist/${DRIVER}`],
    // Another version can crash the process when it is loaded.
    [version?.startsWith(`${major}.`) ? requireInstalled : null, DRIVER],
  ] as const) {
    if (require === null) continue;
    try {
      return check(require(id));
    } catch (error) {
      cause = error;
      reason = `it cannot be loaded: ${readReason(error)}`;
    }
  }
  const message = `On Node.js ${nodeVersion}, svc needs ${DRIVER} ${major}, but ${reason}.`;
  throw createUnavailableError(message, HINTS[major], cause);
}

/** Opens a database, which loads the native addon. */
function check(driver: unknown, options?: Database.Options): Driver {
  new (driver as Driver)(':memory:', options).close();
  return driver as Driver;
}

function findVersion(require: Require): string | null {
  try {
    return (require(`${DRIVER}/package.json`) as { version: string }).version;
  } catch {
    return null;
  }
}

/** The first sentence, without its period. The rest lists paths and commands of other tools. */
function readReason(error: unknown): string {
  const [sentence = ''] = (error as Error).message.split(/\.\s|\.$|\nRequire stack:/);
  return sentence.replaceAll('\n', ' ');
}

function createUnavailableError(message: string, hint: Hint | string, cause?: unknown): SvcError {
  return new SvcError('sqlite_unavailable', message, { hint, cause });
}
