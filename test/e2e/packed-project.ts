/** Installs the packed package in a project without a download. Other packages are links to those of this repository. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import manifest from '../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '../..');

export interface PackedPackage {
  /**
   * Fills a `node_modules` folder, with the SQLite driver that Node.js 20 needs.
   * @param packages other packages of the project. They become links, unless the folder already contains them.
   */
  installInto(modules: string, packages?: readonly string[]): void;
  remove(): void;
}

/** Installs packages for a test: without their scripts, and without a request if npm has them in its cache. */
export async function npmInstall(cwd: string, packages: readonly string[]): Promise<void> {
  const { TESTS_EXTRA_CA_CERTS: certificates = '' } = process.env;
  await execa(
    'npm',
    ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', ...packages],
    { cwd, env: certificates === '' ? {} : { NODE_EXTRA_CA_CERTS: certificates } },
  );
}

interface Pack {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Reads the output of `npm pack --json`: a list, and since npm 12 an object with the names of the packages. */
export function readPack(output: string): Pack {
  const [pack] = Object.values<Pack>(JSON.parse(output));
  if (pack === undefined) throw new Error(`npm pack --json printed ${output}`);
  return pack;
}

/** Packs this repository into a file in `folder`. */
export async function npmPack(folder: string): Promise<Pack> {
  const { stdout } = await execa('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root });
  return readPack(stdout);
}

export async function packPackage(): Promise<PackedPackage> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-packed-'));
  const { filename } = await npmPack(folder);
  await execa('tar', ['-xzf', filename], { cwd: folder });
  return {
    installInto(modules, packages = []) {
      cpSync(join(folder, 'package'), join(modules, manifest.name), { recursive: true });
      for (const name of [...packages, 'better-sqlite3']) {
        const path = join(modules, name);
        if (existsSync(path)) continue;
        mkdirSync(dirname(path), { recursive: true });
        symlinkSync(join(root, 'node_modules', name), path);
      }
      mkdirSync(join(modules, '.bin'), { recursive: true });
      for (const [name, path] of Object.entries(manifest.bin)) {
        symlinkSync(join('..', manifest.name, path), join(modules, '.bin', name));
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
