import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PACKAGE_NAME = 'svc-emulator';

/**
 * The folder of this package, for what comes with it: the same one from the sources and from the built program. The
 * depth of a module differs between `src` and the chunks of `dist`, so it is searched for upwards.
 */
export function findPackageFolder(from = import.meta.dirname): string {
  const manifest = join(from, 'package.json');
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === PACKAGE_NAME) return from;
  const parent = dirname(from);
  if (parent === from) throw new Error(`The folder of the package ${PACKAGE_NAME} was not found.`);
  return findPackageFolder(parent);
}
