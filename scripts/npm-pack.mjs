import { join } from 'node:path';
import { execa } from 'execa';

/**
 * Packs this repository, or packages of the registry.
 * @returns the file name in `folder`, and the files in it
 */
export async function npmPack(folder, ...packages) {
  const args = ['pack', ...packages, '--json', '--pack-destination', folder];
  const { stdout } = await execa('npm', args, { cwd: join(import.meta.dirname, '..') });
  // A list, and since npm 12 an object with the names of the packages.
  const [{ filename, files }] = Object.values(JSON.parse(stdout));
  return { filename, files };
}
