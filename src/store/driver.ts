/** Loads better-sqlite3. No other module imports it at run time. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Database from 'better-sqlite3';
import { type Hint, SvcError } from '../errors.ts';
import { createPackageRequire, readEmbeddedAddon } from '../package-files.ts';
import { unpackAddon } from './addon-cache.ts';

type Driver = typeof Database;

/** The inputs for the choice of the driver and for its error messages. */
export interface DriverEnvironment {
  require(id: string): unknown;
  /** Such as `24.19.0`. */
  readonly nodeVersion: string;
  /** Path of the native addon; undefined if the driver finds it itself. */
  readonly nativeBinding?: string | undefined;
  findPackageManager(): PackageManager;
}

const DRIVER = 'better-sqlite3';
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
  environment ??= getCurrentEnvironment();
  loadedDriver ??= loadDriver(environment);
  return new loadedDriver(path, { ...options, nativeBinding: environment.nativeBinding });
}

/**
 * The path of the driver, for a child process that requires it. Not for the single executable.
 * @throws SvcError `sqlite_unavailable`
 */
export function resolveDriver(): string {
  return createRequire(getOwnPath()).resolve(choosePackage(getCurrentEnvironment()).name);
}

function getCurrentEnvironment(): DriverEnvironment {
  const path = getOwnPath();
  const addon = readEmbeddedAddon();
  return {
    nativeBinding: addon === null ? undefined : unpackAddon(addon),
    require: createPackageRequire(path),
    nodeVersion: process.versions.node,
    findPackageManager: () => findPackageManager(dirname(path), process.env.npm_config_user_agent),
  };
}

function getOwnPath(): string {
  // A user's bundler may convert this file to CommonJS, which has no `import.meta.url`. Then resolve from the current folder.
  return import.meta.url ? fileURLToPath(import.meta.url) : join(process.cwd(), 'package.json');
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

function choosePackage(environment: DriverEnvironment): { name: string; version: string } {
  const { require, nodeVersion } = environment;
  const version = findVersion(require, DRIVER);
  if (version === null) {
    throw createUnavailableError(`The SQLite driver ${DRIVER} is not installed.`, {
      text: 'Install it',
      command: getInstallCommand(environment.findPackageManager()),
    });
  }
  if (!isKnownToCrash(version, nodeVersion)) return { name: DRIVER, version };
  if (findVersion(require, DEVELOPMENT_DRIVER) !== null) return { name: DEVELOPMENT_DRIVER, version: '12' };
  const message = `${DRIVER} ${version} crashes on Node.js ${nodeVersion}.`;
  throw createUnavailableError(message, getCrashHint(version, environment));
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

function getCrashHint(version: string, { findPackageManager }: DriverEnvironment): Hint {
  const manager = findPackageManager();
  if (!version.startsWith('13.')) return { text: 'Update it', command: getUpdateCommand(manager) };
  const hint = 'Use Node.js 22 or later';
  // npm shares the project's better-sqlite3 with this package. Other package managers, and a global installation, do not, so
  // installing version 12 in the project has no effect.
  return manager.name === 'npm' && !manager.isGlobal
    ? { text: `${hint}, or install version 12`, command: `npm install ${DRIVER}@^12.11.1` }
    : { text: `${hint}.` };
}

function toDriverError(
  error: NodeJS.ErrnoException,
  version: string,
  { nodeVersion, nativeBinding, findPackageManager }: DriverEnvironment,
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
  const manager = findPackageManager();
  const hint = version.startsWith('13.')
    ? { text: 'Build it', command: getBuildCommand(manager) }
    : isOlder(nodeVersion, 22, 0)
      ? {
          text: 'Use Node.js 22 or later, which needs no build, or build it',
          command: getBuildCommand(manager),
        }
      : {
          text: `Use version 13, which needs no build, with ${getUpdateCommand(manager)}, or build it`,
          command: getBuildCommand(manager),
        };
  return createUnavailableError(message, hint, error);
}

function createUnavailableError(message: string, hint: Hint | string, cause?: unknown): SvcError {
  return new SvcError('sqlite_unavailable', message, { hint, cause });
}

type PackageManagerName = 'npm' | 'pnpm' | 'yarn' | 'bun';

export interface PackageManager {
  readonly name: PackageManagerName;
  /** Major version; null if the package manager did not start this process. */
  readonly major: number | null;
  /** Whether the package was installed with `npm install --global`: no parent folder has files of a project. */
  readonly isGlobal: boolean;
}

/** Files that each package manager creates in a project. `bun.lock` comes last, because it can be next to `node_modules` of another one. */
const projectFiles: Record<PackageManagerName, readonly string[]> = {
  pnpm: ['node_modules/.modules.yaml'],
  yarn: ['.pnp.cjs', 'node_modules/.yarn-state.yml', 'node_modules/.yarn-integrity'],
  npm: ['node_modules/.package-lock.json'],
  bun: ['bun.lock', 'bun.lockb'],
};

/**
 * @param folder of this package
 * @param userAgent `npm_config_user_agent`, such as `npm/12.2.0 node/v24.19.0 linux x64`
 */
export function findPackageManager(folder: string, userAgent = ''): PackageManager {
  const detectedName = process.versions.pnp === undefined ? detectByFiles(folder) : 'yarn';
  const name = detectedName ?? 'npm';
  const major = new RegExp(`^${name}/(\\d+)`).exec(userAgent)?.[1];
  return { name, major: major === undefined ? null : Number(major), isGlobal: detectedName === null };
}

function detectByFiles(folder: string): PackageManagerName | null {
  for (const name of Object.keys(projectFiles) as PackageManagerName[]) {
    if (projectFiles[name].some((file) => existsSync(join(folder, file)))) return name;
  }
  const parent = dirname(folder);
  return parent === folder ? null : detectByFiles(parent);
}

/** Command that installs the driver. */
function getInstallCommand({ name, isGlobal }: PackageManager): string {
  if (isGlobal) return 'npm install --global svc-emulator';
  return `${name} ${name === 'npm' ? 'install' : 'add'} ${DRIVER}`;
}

/** Command that moves the driver to the newest version that this package allows on this version of Node.js. */
function getUpdateCommand({ name, isGlobal }: PackageManager): string {
  if (isGlobal) return 'npm install --global svc-emulator';
  return {
    npm: `npm update ${DRIVER}`,
    pnpm: `pnpm update --depth Infinity ${DRIVER}`,
    yarn: `yarn up --recursive ${DRIVER}`,
    bun: `bun update ${DRIVER}`,
  }[name];
}

/** Command that runs the install script of the driver, which recent package managers skip. */
function getBuildCommand({ name, major, isGlobal }: PackageManager): string {
  const scope = isGlobal ? '--global ' : '';
  const rebuild = `npm rebuild ${scope}${DRIVER}`;
  const approveAndRebuild = `npm install-scripts approve ${scope}${DRIVER} && ${rebuild}`;
  if (name === 'npm' && major === null) return `${rebuild} (with npm 12: ${approveAndRebuild})`;
  return {
    npm: (major ?? 0) < 12 ? rebuild : approveAndRebuild,
    pnpm: `pnpm approve-builds ${DRIVER} && pnpm rebuild ${DRIVER}`,
    yarn: `yarn config set enableScripts true && yarn rebuild ${DRIVER}`,
    bun: `bun pm trust ${DRIVER}`,
  }[name];
}
