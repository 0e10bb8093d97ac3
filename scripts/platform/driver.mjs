// Errors of the commands and of the library when the SQLite driver cannot be loaded.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createProject, expectOutput, installPacked, run, runNode } from './projects.mjs';

const isOld = Number(process.versions.napi) < 10;
const MESSAGE = isOld
  ? /On Node\.js 20\.\S+, svc needs better-sqlite3 12, but it is not installed\./
  : /On Node\.js \S+, svc needs better-sqlite3 13, but it cannot be loaded: Cannot find module \S+\./;
const COMMAND = `npm install --save-dev better-sqlite3@${isOld ? 12 : 13}`;
const LIBRARY = `import { createEmulator } from 'svc-emulator';
  await createEmulator().catch(({ code, message }) => console.log(code, message));`;

/** A project on a computer for which better-sqlite3 has no binary. */
export async function setUp() {
  const project = createProject();
  await installPacked(project);
  for (const path of ['svc-emulator/dist/better-sqlite3/prebuilds', 'better-sqlite3'])
    rmSync(join(project, 'node_modules', path), { recursive: true });
  return project;
}

export const rows = [
  ...['start --port 0', 'start --port 0 --detach', 'exec -- node --version'].map((command) => ({
    title: `svc emulator ${command} fails with one error and the command that installs the driver`,
    async run(project) {
      const result = await run(project, 'svc', ['emulator', ...command.split(' ')]);
      const { stdout, stderr } = expectOutput(result, 2, MESSAGE, new RegExp(COMMAND));
      assert.equal(stdout, '');
      assert.doesNotMatch(stderr, /report it|\n\s+at /);
    },
  })),
  {
    title: 'createEmulator() rejects with the same error',
    async run(project) {
      const { stdout } = await runNode(project, ['--input-type=module', '--eval', LIBRARY]);
      assert.match(stdout, new RegExp(`^sqlite_unavailable ${MESSAGE.source} .*${COMMAND}`));
    },
  },
  {
    title: 'svc doctor reports a problem with the whole command',
    async run(project) {
      const { stdout } = expectOutput(await run(project, 'svc', ['doctor', '--json']), 1);
      const { status, detail, hint } = JSON.parse(stdout).findings.find(({ id }) => id === 'sqlite');
      assert.equal(status, 'problem');
      assert.match(detail, MESSAGE);
      assert.ok(hint.command.includes(COMMAND));
      expectOutput(await run(project, 'svc', ['doctor']), 1, new RegExp(COMMAND));
    },
  },
  {
    title: 'svc sign succeeds, because it needs no SQLite',
    async run(project) {
      expectOutput(await run(project, 'svc', ['sign', '--payload', '{}', '--secret', 'whsec_a']), 0);
    },
  },
];
