/**
 * Finds the files and programs of this package: in its folder, or in the single executable that contains them. Other modules do
 * not know which.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

/** The content of the single executable. `src/platform/executable-content.ts` creates it. */
export interface Executable {
  /** The paths of the files of the package, with `/`. */
  readonly paths: readonly string[];
  read(path: string): Buffer;
  /** The `better-sqlite3` of the executable. */
  readonly driver: unknown;
  /** The native addon of the driver. Its name contains its hash. */
  readonly addon: { readonly name: string; readonly bytes: Buffer };
}

declare const __SVC_EXECUTABLE__: Executable | undefined;
/** Null outside the single executable. In it, `process.execPath` is this program and runs no scripts. */
export const executable = typeof __SVC_EXECUTABLE__ === 'object' ? __SVC_EXECUTABLE__ : null;

/** The folder with this code. */
const ownFolder: string = typeof __dirname === 'string' ? __dirname : import.meta.dirname;

/** A folder whose files can be read, on disk or in the single executable. */
interface ReadableFolder {
  /** The paths of all files, sorted, with `/`; empty if the folder does not exist. */
  list(): string[];
  /** @returns null if the file does not exist */
  read(path: string): Buffer | null;
}

/** @param folder path inside this package, such as `dist/dashboard` */
export function findPackageFiles(folder: string): ReadableFolder {
  if (executable !== null) return openExecutable(executable, folder);
  return openFolder(join(getPackageFolder(ownFolder), folder));
}

export function openFolder(folder: string): ReadableFolder {
  return {
    list() {
      if (!existsSync(folder)) return [];
      return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
        .sort();
    },
    read: (path) => (existsSync(join(folder, path)) ? readFileSync(join(folder, path)) : null),
  };
}

export function openExecutable(
  { paths, read }: Pick<Executable, 'paths' | 'read'>,
  folder: string,
): ReadableFolder {
  const prefix = `${folder}/`;
  return {
    list: () =>
      paths
        .filter((path) => path.startsWith(prefix))
        .map((path) => path.slice(prefix.length))
        .sort(),
    read: (path) => (paths.includes(prefix + path) ? read(prefix + path) : null),
  };
}

/** The command that starts the running program again, without the arguments of its user. */
export function getProgramCommand(): readonly [string, ...string[]] {
  if (executable !== null) return [process.execPath];
  // Without the `--`, Node 20 reads `--env-file` itself.
  return [process.execPath, ...process.execArgv, '--', process.argv[1] ?? ''];
}

/** The `require` of a module or addon of this package by its path, such as `./dist/better-sqlite3`. Not for the single executable. */
export function createPackageRequire(): NodeJS.Require {
  return createRequire(join(getPackageFolder(ownFolder), 'package.json'));
}

/** The `require` of the project that uses this package: next to it, or in the working folder. Not for the single executable. */
export function createProjectRequire(name: string): NodeJS.Require {
  const requires = [ownFolder, process.cwd()].map((folder) => createRequire(join(folder, 'package.json')));
  return (requires.find((each) => canResolve(each, name)) ?? requires[0]) as NodeJS.Require;
}

function canResolve(require: NodeJS.Require, name: string): boolean {
  try {
    return require.resolve(name) !== '';
  } catch {
    return false;
  }
}

/**
 * Finds the root folder of this package, from the source and from the build, which have different depths.
 * @returns null in the single executable
 */
export function findPackageFolder(): string | null {
  return executable === null ? getPackageFolder(ownFolder) : null;
}

function getPackageFolder(folder: string): string {
  return isPackage(folder) || dirname(folder) === folder ? folder : getPackageFolder(dirname(folder));
}

function isPackage(folder: string): boolean {
  const manifest = join(folder, 'package.json');
  return existsSync(manifest) && /"name"\s*:\s*"svc-emulator"/.test(readFileSync(manifest, 'utf8'));
}
