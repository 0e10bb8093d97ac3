// Each example of `examples/`, in a copy of its folder with the packed package. Nothing is downloaded.
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder, expectOutput, installPacked, manifest, root, run } from './projects.mjs';

const examples = join(root, 'examples');
const names = readdirSync(examples, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
const readJson = (...path) => JSON.parse(readFileSync(join(examples, ...path), 'utf8'));

/** The reason why an example cannot run here. Windows does not run `svc` as a symbolic link. */
async function findObstacle(name) {
  if (name !== 'python') return null;
  if (process.platform === 'win32') return 'Windows';
  return (await run(root, 'python3', ['--version'])).failed ? 'python3 is not installed' : null;
}

export const rows = names.flatMap((name) => {
  const { dependencies, devDependencies } = readJson(name, 'package.json');
  const all = { ...dependencies, ...devDependencies };
  return [
    {
      title: `the tests of examples/${name} pass with the packed package`,
      skip: () => findObstacle(name),
      async run() {
        const copy = createFolder();
        cpSync(join(examples, name), copy, { recursive: true });
        await installPacked(copy, Object.keys(all));
        const result = await run(copy, 'npm', ['test'], { localDir: root });
        expectOutput(result, 0, /Tests +4 passed|[#ℹ] pass 4|Ran 4 tests/);
      },
    },
    {
      title: `package.json of examples/${name} requires this version of the package, and package-lock.json agrees`,
      run() {
        const { packages } = readJson(name, 'package-lock.json');
        const { version, peerDependencies } = packages[`node_modules/${manifest.name}`];
        assert.equal(all[manifest.name], `^${manifest.version}`);
        assert.deepEqual(
          [packages[''].dependencies, packages[''].devDependencies],
          [dependencies, devDependencies],
        );
        assert.deepEqual([version, peerDependencies], [manifest.version, manifest.peerDependencies]);
      },
    },
  ];
});
