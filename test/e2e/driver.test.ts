/** Errors of the commands and of the library when the SQLite driver cannot be loaded. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTempFolder, runProgram } from './cli-program.ts';
import { type PackedPackage, packPackage } from './packed-project.ts';

let packed: PackedPackage;
let project: string;
let removeProject: () => void;
beforeAll(async () => {
  packed = await packPackage();
  ({ cwd: project, remove: removeProject } = createTempFolder());
  const modules = join(project, 'node_modules');
  mkdirSync(modules);
  packed.installInto(modules);
  // As on a computer for which better-sqlite3 has no binary.
  for (const path of ['svc-emulator/dist/better-sqlite3/prebuilds', 'better-sqlite3'])
    rmSync(join(modules, path), { recursive: true });
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}');
}, 60_000);
afterAll(() => {
  packed.remove();
  removeProject();
});

function runNode(...args: string[]) {
  return runProgram(process.execPath, args, { cwd: project, timeout: 30_000 });
}

const svc = (...args: string[]) => runNode(join(project, 'node_modules/svc-emulator/bin/svc.js'), ...args);

const isOld = Number(process.versions.napi) < 10;
const MESSAGE = isOld
  ? /On Node\.js 20\.\S+, svc needs better-sqlite3 12, but it is not installed\./
  : /On Node\.js \S+, svc needs better-sqlite3 13, but it cannot be loaded: Cannot find module \S+\./;
const COMMAND = `npm install --save-dev better-sqlite3@${isOld ? 12 : 13}`;

describe('a SQLite driver that cannot be loaded', () => {
  it.each([
    ['emulator start', ['emulator', 'start', '--port', '0']],
    ['emulator start --detach', ['emulator', 'start', '--port', '0', '--detach']],
    ['emulator exec', ['emulator', 'exec', '--', 'node', '--version']],
  ])('svc %s fails with one error and the command that installs the driver', async (_, args) => {
    const { exitCode, stdout, stderr } = await svc(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(MESSAGE);
    expect(stderr).toContain(COMMAND);
    expect(stderr).not.toMatch(/report it|\n\s+at /);
  });

  it('createEmulator() rejects with the same error', async () => {
    const source = `import { createEmulator } from 'svc-emulator';
      await createEmulator().catch(({ code, message }) => console.log(code, message));`;
    const { stdout } = await runNode('--input-type=module', '--eval', source);
    expect(stdout).toMatch(new RegExp(`^sqlite_unavailable ${MESSAGE.source} .*${COMMAND}`));
  });

  it('svc doctor reports a problem with the whole command', async () => {
    const { exitCode, stdout } = await svc('doctor', '--json');
    expect(exitCode).toBe(1);
    const { findings } = JSON.parse(stdout) as { findings: { id: string }[] };
    expect(findings.find(({ id }) => id === 'sqlite')).toMatchObject({
      ...{
        status: 'problem',
        detail: expect.stringMatching(MESSAGE),
        hint: { command: expect.stringContaining(COMMAND) },
      },
    });
    expect((await svc('doctor')).stdout).toContain(COMMAND);
  });

  it('svc sign succeeds, because it needs no SQLite', async () => {
    expect(await svc('sign', '--payload', '{}', '--secret', 'whsec_a')).toMatchObject({
      exitCode: 0,
    });
  });
});
