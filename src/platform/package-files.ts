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

/**
 * The folder with this code; in an application that bundles it as CommonJS, that of the application. Undefined in one that is bundled as
 * an ES module.
 */
const ownFolder: string | undefined = typeof __dirname === 'string' ? __dirname : import.meta.dirname;

/** Where to search for this package and what is installed with it, the best first. */
function listStartFolders(): string[] {
  const script = process.argv[1];
  return [
    ...(ownFolder === undefined ? [] : [ownFolder]),
    ...(script === undefined ? [] : [dirname(script)]),
    process.cwd(),
  ];
}

/** A folder whose files can be read, on disk or in the single executable. */
interface ReadableFolder {
  /** The paths of all files, sorted, with `/`; empty if the folder does not exist. */
  list(): string[];
  /** @returns null if the file does not exist */
  read(path: string): Buffer | null;
}

/**
 * @param folder path inside this package, such as `dist/dashboard`
 * @returns null in an application that bundles this package without its files
 */
export function findPackageFiles(folder: string): ReadableFolder | null {
  if (executable !== null) return openExecutable(executable, folder);
  const packageFolder = findPackageFolder();
  return packageFolder === null ? null : openFolder(join(packageFolder, folder));
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

/**
 * The `require` of a module or addon of this package by its path, such as `./dist/better-sqlite3`; null in an application that
 * bundles this package without its files. Not for the single executable.
 */
export function createPackageRequire(): NodeJS.Require | null {
  const folder = findPackageFolder();
  return folder === null ? null : createRequire(join(folder, 'package.json'));
}

/** The `require` that finds a package of the project, if any start folder does. Not for the single executable. */
export function createProjectRequire(name: string): NodeJS.Require {
  const folder = listStartFolders().find((each) => canResolve(each, name)) ?? process.cwd();
  return createRequire(join(folder, 'package.json'));
}

function canResolve(folder: string, name: string): boolean {
  try {
    return createRequire(join(folder, 'package.json')).resolve(name) !== '';
  } catch {
    return false;
  }
}

/**
 * Finds the root folder of this package, from the source and from the build. `src` and the chunks of `dist` have different
 * depths, so it checks every parent folder. If an application bundles this package, it searches `node_modules` in the
 * parents of the application and of the working folder.
 * @returns null if no folder is found, and in the single executable
 */
export function findPackageFolder(): string | null {
  if (executable !== null) return null;
  for (const startFolder of listStartFolders()) {
    const folder = findAbove(startFolder);
    if (folder !== null) return folder;
  }
  return null;
}

function findAbove(folder: string): string | null {
  for (const candidate of [folder, join(folder, 'node_modules/svc-emulator')]) {
    if (isPackage(candidate)) return candidate;
  }
  const parent = dirname(folder);
  return parent === folder ? null : findAbove(parent);
}

function isPackage(folder: string): boolean {
  const manifest = join(folder, 'package.json');
  return existsSync(manifest) && /"name"\s*:\s*"svc-emulator"/.test(readFileSync(manifest, 'utf8'));
}
