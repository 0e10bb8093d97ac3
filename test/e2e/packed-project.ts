/** Installs the packed package in a project without a download. Its dependencies are links to those of this repository. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import manifest from '../../package.json' with { type: 'json' };
import { driverFolder } from '../support/sqlite.ts';

const root = join(import.meta.dirname, '../..');

export interface PackedPackage {
  /**
   * Fills a `node_modules` folder.
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

/** Packs this repository into a file in `folder`. */
export async function npmPack(folder: string) {
  // --ignore-scripts, because a second build would remove the existing one while other tests use it.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const { stdout } = await execa('npm', args, { cwd: root });
  const [pack] = JSON.parse(stdout);
  return pack as { readonly filename: string; readonly files: readonly { readonly path: string }[] };
}

export async function packPackage(): Promise<PackedPackage> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-packed-'));
  const { filename } = await npmPack(folder);
  await execa('tar', ['-xzf', filename], { cwd: folder });
  return {
    installInto(modules, packages = []) {
      cpSync(join(folder, 'package'), join(modules, manifest.name), { recursive: true });
      for (const name of new Set([...packages, ...Object.keys(manifest.dependencies)])) {
        const path = join(modules, name);
        if (existsSync(path)) continue;
        mkdirSync(dirname(path), { recursive: true });
        symlinkSync(name === 'better-sqlite3' ? driverFolder : join(root, 'node_modules', name), path);
      }
      mkdirSync(join(modules, '.bin'), { recursive: true });
      for (const [name, path] of Object.entries(manifest.bin)) {
        symlinkSync(join('..', manifest.name, path), join(modules, '.bin', name));
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
