/**
 * Runs each example of `examples/` in a copy of its folder with the packed package.
 * Other dependencies are links to those of this repository, so that nothing is downloaded.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { runProgram } from './cli-program.ts';
import { type PackedPackage, packPackage } from './packed-project.ts';

const root = join(import.meta.dirname, '../..');
const examples = join(root, 'examples');
const names = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const python = await runProgram('python3', ['--version']);
/** The example needs an interpreter, and `svc` as a symbolic link, which Windows does not run. */
const runsPython = !python.failed && process.platform !== 'win32';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

let packed: PackedPackage;

beforeAll(async () => {
  packed = await packPackage();
});

afterAll(() => packed.remove());

describe.each(names)('examples/%s', (name) => {
  const folder = join(examples, name);
  const exampleManifest = readJson(join(folder, 'package.json')) as Manifest;
  const dependencies = { ...exampleManifest.dependencies, ...exampleManifest.devDependencies };

  it.runIf(name !== 'python' || runsPython)(
    'the tests of the example pass with the packed package',
    async () => {
      const copy = mkdtempSync(join(tmpdir(), 'svc-example-'));
      onTestFinished(() => rmSync(copy, { recursive: true, force: true, maxRetries: 3 }));
      cpSync(folder, copy, { recursive: true });
      packed.installInto(join(copy, 'node_modules'), Object.keys(dependencies));

      const run = await runProgram('npm', ['test'], {
        ...{ cwd: copy, all: true, timeout: 50_000, preferLocal: true, localDir: root },
        env: { NO_COLOR: '1' },
      });

      expect(run.exitCode, run.all).toBe(0);
      expect(run.all).toMatch(/Tests +4 passed|[#ℹ] pass 4|Ran 4 tests/);
    },
  );

  it('package.json requires this version of the package, and package-lock.json agrees', () => {
    const { packages } = readJson(join(folder, 'package-lock.json'));
    expect(dependencies[manifest.name]).toBe(`^${manifest.version}`);
    expect(packages[''].dependencies).toEqual(exampleManifest.dependencies);
    expect(packages[''].devDependencies).toEqual(exampleManifest.devDependencies);
    const { version, peerDependencies } = packages[`node_modules/${manifest.name}`];
    expect([version, peerDependencies]).toEqual([manifest.version, manifest.peerDependencies]);
  });
});

function readJson(path: string) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
