/** Errors of the commands and of the library when the SQLite driver does not run. */
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { driverFolder } from '../support/sqlite.ts';
import { createTempFolder, runProgram } from './cli-program.ts';
import { type PackedPackage, packPackage } from './packed-project.ts';

const root = join(import.meta.dirname, '../..');

let packed: PackedPackage;
const folders: { remove(): void }[] = [];
beforeAll(async () => {
  packed = await packPackage();
}, 60_000);
afterAll(() => {
  for (const { remove } of [packed, ...folders]) remove();
});

/** A project with the packed package and its own SQLite driver. */
function createProject(installDriver: (folder: string) => void): string {
  const folder = createTempFolder();
  folders.push(folder);
  const project = folder.cwd;
  const modules = join(project, 'node_modules');
  mkdirSync(modules);
  const driver = join(modules, 'better-sqlite3');
  mkdirSync(driver);
  packed.installInto(modules);
  rmSync(driver, { recursive: true });
  installDriver(driver);
  writeFileSync(join(modules, '.package-lock.json'), '{}');
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}');
  return project;
}

/** The driver without its compiled part, as package managers without install scripts install it. */
function installUnbuilt(folder: string): void {
  mkdirSync(folder);
  for (const part of ['lib', 'package.json']) {
    cpSync(join(driverFolder, part), join(folder, part), { recursive: true });
  }
  for (const name of ['bindings', 'file-uri-to-path']) {
    const dependency = join(root, 'node_modules', name);
    if (existsSync(dependency)) symlinkSync(dependency, join(folder, '..', name));
  }
}

function runNode(project: string, ...args: string[]) {
  const env = { npm_config_user_agent: 'npm/12.2.0 node/v24.19.0 linux x64' };
  return runProgram(process.execPath, args, { cwd: project, env, timeout: 30_000 });
}

const svc = (project: string, ...args: string[]) =>
  runNode(project, join(project, 'node_modules/svc-emulator/bin/svc.js'), ...args);

const MESSAGE = /better-sqlite3 1[23]\.\S+ is installed, but its native addon was not built\./;
const COMMAND = 'npm rebuild better-sqlite3';

describe('a SQLite driver that was not built', () => {
  let project: string;
  beforeAll(() => {
    project = createProject(installUnbuilt);
  });

  it.each([
    ['emulator start', ['emulator', 'start', '--port', '0']],
    ['emulator start --detach', ['emulator', 'start', '--port', '0', '--detach']],
    ['emulator exec', ['emulator', 'exec', '--', 'node', '--version']],
  ])('svc %s fails with one error and the command that builds the driver', async (_, args) => {
    const { exitCode, stdout, stderr } = await svc(project, ...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(MESSAGE);
    expect(stderr).toMatch(new RegExp(`build it with: ${COMMAND}`, 'i'));
    expect(stderr).not.toMatch(/report it|bindings|\n\s+at /);
  });

  it('svc emulator start --json fails with one JSON error', async () => {
    const { exitCode, stderr } = await svc(project, 'emulator', 'start', '--port', '0', '--json');
    expect(exitCode).toBe(2);
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'sqlite_unavailable',
        message: expect.stringMatching(MESSAGE),
        hint: { text: expect.stringMatching(/build it/i), command: COMMAND },
      },
    });
  });

  it('createEmulator() rejects with the same error', async () => {
    const source = `import { createEmulator } from 'svc-emulator';
      await createEmulator().catch(({ code, message }) => console.log(code, message));`;
    const { stdout } = await runNode(project, '--input-type=module', '--eval', source);
    expect(stdout).toMatch(new RegExp(`^sqlite_unavailable ${MESSAGE.source} .* build it with: ${COMMAND}$`));
  });

  it('svc doctor reports a problem with the whole command', async () => {
    const { exitCode, stdout } = await svc(project, 'doctor', '--json');
    expect(exitCode).toBe(1);
    const { findings } = JSON.parse(stdout) as { findings: { id: string }[] };
    expect(findings.find(({ id }) => id === 'sqlite')).toMatchObject({
      ...{
        status: 'problem',
        detail: expect.stringMatching(MESSAGE),
        hint: { command: expect.stringContaining(COMMAND) },
      },
    });
    expect((await svc(project, 'doctor')).stdout).toContain(COMMAND);
  });

  it('svc sign succeeds, because it needs no SQLite', async () => {
    expect(await svc(project, 'sign', '--payload', '{}', '--secret', 'whsec_a')).toMatchObject({
      exitCode: 0,
    });
  });
});

describe.runIf(process.versions.node.startsWith('20.'))('better-sqlite3 13 on Node.js 20', () => {
  it('svc emulator start fails with an error before the driver crashes the process', async () => {
    const project = createProject((folder) => symlinkSync(join(root, 'node_modules/better-sqlite3'), folder));
    const { exitCode, stderr } = await svc(project, 'emulator', 'start', '--port', '0');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/better-sqlite3 13\.\S+ crashes on Node\.js 20\./);
    expect(stderr).toContain('Use Node.js 22 or later');
  });
});
