import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The folder of this package, for the files that come with it: the same one from the sources and from the built program.
 * The depth of a module differs between `src` and the chunks of `dist`, so each folder above is looked at. An application
 * that is bundled is somewhere else: there the package is looked for where the application and the process could import it.
 * @returns null when it is not there either.
 */
export function findPackageFolder(): string | null {
  // A bundle in the format of CommonJS has no `import.meta`.
  const own: string | undefined = import.meta.dirname;
  const script = process.argv[1];
  const places = [own, script === undefined ? undefined : dirname(script), process.cwd()];
  for (const place of places) {
    const folder = place === undefined ? null : findAbove(place);
    if (folder !== null) return folder;
  }
  return null;
}

/** @throws Error where there is none, which cannot be in `svc` itself. */
export function getPackageFolder(): string {
  const folder = findPackageFolder();
  if (folder === null) throw new Error('The folder of the package svc-emulator was not found.');
  return folder;
}

function findAbove(folder: string): string | null {
  for (const each of [folder, join(folder, 'node_modules/svc-emulator')]) if (isPackage(each)) return each;
  const parent = dirname(folder);
  return parent === folder ? null : findAbove(parent);
}

function isPackage(folder: string): boolean {
  const manifest = join(folder, 'package.json');
  return existsSync(manifest) && /"name"\s*:\s*"svc-emulator"/.test(readFileSync(manifest, 'utf8'));
}
