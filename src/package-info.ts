/** The version and the folder of this package. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

declare const __SVC_VERSION__: string | undefined;

/** The version of this package; `0.0.0-source` when the source runs without a build. */
export const VERSION = typeof __SVC_VERSION__ === 'string' ? __SVC_VERSION__ : '0.0.0-source';

/** The page of this package in the registry. */
export const PACKAGE_URL = 'https://www.npmjs.com/package/svc-emulator';

/**
 * Finds the root folder of this package, from the source and from the build. `src` and the chunks of `dist` have different
 * depths, so it checks every parent folder. If an application bundles this package, it searches `node_modules` in the
 * parents of the application and of the working folder.
 * @returns null if no folder is found.
 */
export function findPackageFolder(): string | null {
  // A CommonJS bundle has no `import.meta`.
  const ownFolder: string | undefined = import.meta.dirname;
  const script = process.argv[1];
  const startFolders = [ownFolder, script === undefined ? undefined : dirname(script), process.cwd()];
  for (const startFolder of startFolders) {
    const folder = startFolder === undefined ? null : findAbove(startFolder);
    if (folder !== null) return folder;
  }
  return null;
}

/** @throws Error if no folder is found, which does not happen in the `svc` command. */
export function getPackageFolder(): string {
  const folder = findPackageFolder();
  if (folder === null)
    throw new Error(
      'The folder of the package svc-emulator does not exist. Install it in the project of the application.',
    );
  return folder;
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
