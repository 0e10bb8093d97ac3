/** Runs the recipes of docs/testing.md in their test runners with the packed package. */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from './cli-program.ts';
import { npmInstall, type PackedPackage, packPackage } from './packed-project.ts';

const root = join(import.meta.dirname, '../..');
const recipes = join(import.meta.dirname, 'recipes');
const vitestExamples = join(root, 'test/library/examples');
/** Examples that use both entry points. The unit tests run all examples. */
const runExamples = ['any-runner.test.ts', 'retries.test.ts'];

/** Bun publishes its program as one package for each platform. */
const bun = `@oven/bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`;
const hasBun = ['@oven/bun-linux-x64', '@oven/bun-darwin-aarch64'].includes(bun);

let packed: PackedPackage;
/** A project with the runners of `versions` installed. */
let project: string;
/** A project with the Vitest of this repository. */
let withVitest4: string;

/** Deno too, with the name of the C library on Linux. */
const deno = `@deno/${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`;

const versions = [
  'jest@30.5.2',
  'vitest@5.1.1',
  '@playwright/test@1.65.1',
  `${deno}@2.9.6`,
  ...(hasBun ? [`${bun}@1.4.5`] : []),
];

beforeAll(async () => {
  packed = await packPackage();
  project = createProject();
  withVitest4 = createProject();
  await npmInstall(project, versions);
  packed.installInto(join(project, 'node_modules'), ['@types/node']);
  packed.installInto(join(withVitest4, 'node_modules'), ['@types/node', 'vitest']);
}, 240_000);

afterAll(() => {
  packed.remove();
  for (const folder of [project, withVitest4]) rmSync(folder, { recursive: true, force: true });
});

function createProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-runners-'));
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  return folder;
}

/** Runs a program of Node.js in a project, with `svc` on the path. */
function run(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runIn(cwd, process.execPath, args, env);
}

function runIn(
  cwd: string,
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  return runProgram(file, args, {
    ...{ cwd, all: true, timeout: 50_000, preferLocal: true, localDir: cwd },
    env: { NO_COLOR: '1', ...env },
  });
}

function add(cwd: string, name: string, from: string): void {
  mkdirSync(dirname(join(cwd, name)), { recursive: true });
  copyFileSync(join(from, name), join(cwd, name));
}

describe.each([
  { version: 4, folder: () => withVitest4 },
  { version: 5, folder: () => project },
])('svc-emulator/vitest with Vitest $version', ({ version, folder }) => {
  const examples = readdirSync(vitestExamples);

  it('the types of the fixtures and the matcher compile with skipLibCheck: false', async () => {
    for (const name of examples) add(folder(), name, vitestExamples);
    writeFileSync(
      join(folder(), 'misuse.test.ts'),
      `import { test } from 'svc-emulator/vitest';
       import { expect } from 'vitest';
       test('misuse', async ({ workspace, receiver }) => {
         await expect(workspace).not.toHaveDelivered('order.shipped', { to: receiver.url });
         // @ts-expect-error times is a number
         await expect(workspace).toHaveDelivered('order.shipped', { times: '1' });
         // @ts-expect-error the matcher returns a promise
         const text: string = expect(workspace).toHaveDelivered('order.shipped');
         // @ts-expect-error there is no such fixture
         test('other', ({ receivers }) => receivers);
       });`,
    );
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      'false',
      '--target',
      'es2023',
      '--types',
      'node',
    ];
    const lib = ['--lib', 'es2023,esnext.disposable', '--module', 'nodenext'];
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { exitCode, all } = await run(folder(), [tsc, ...options, ...lib, ...examples, 'misuse.test.ts']);
    expect(exitCode, all).toBe(0);
    rmSync(join(folder(), 'misuse.test.ts'));
  });

  it('the examples of docs/testing.md pass', async () => {
    for (const name of runExamples) add(folder(), name, vitestExamples);
    const vitest = join('node_modules', 'vitest', 'vitest.mjs');
    const { exitCode, all } = await run(folder(), [vitest, 'run', ...runExamples]);
    expect(exitCode, all).toBe(0);
    expect(all).toContain(`v${version}.`);
    expect(all).toMatch(/Test Files +2 passed/);
  });
});

describe('Jest', () => {
  const jest = join('node_modules', 'jest', 'bin', 'jest.js');

  it('Jest runs its recipe, and an emulator continues while a test has fake timers', async () => {
    const names = ['jest.test.cjs', 'jest-fake-timers.test.cjs'];
    for (const name of names) add(project, name, recipes);
    const { exitCode, all } = await run(project, [jest, '--runInBand', ...names]);
    expect(exitCode, all).toBe(0);
    expect(all).toMatch(/Tests: +2 passed, 2 total/);
  });

  it('the emulator runs while fake timers are enabled in the configuration', async () => {
    add(project, 'jest.test.cjs', recipes);
    const config = JSON.stringify({ fakeTimers: { enableGlobally: true } });
    const { exitCode, all } = await run(project, [jest, '--config', config, 'jest.test.cjs']);
    expect(exitCode, all).toBe(0);
  });

  it('Jest shows the error of a test that does not await the start', async () => {
    writeFileSync(
      join(project, 'not-awaited.test.cjs'),
      `const { createEmulator } = require('svc-emulator');
       test('misuse', () => {
         const emulator = createEmulator();
         emulator.trigger('order.shipped');
       });`,
    );
    const { exitCode, all } = await run(project, [jest, '--forceExit', 'not-awaited.test.cjs']);
    expect(exitCode, all).toBe(1);
    expect(all).toContain('TypeError: emulator.trigger is not a function');
    expect(all).not.toContain('is not installed');
  });

  it('Jest runs its recipe as an ES module with the flag of Node.js', async () => {
    const recipe = readFileSync(join(recipes, 'jest.test.cjs'), 'utf8');
    const code = recipe.replace(/^const (.*) = require\((.*)\)/m, 'import $1 from $2');
    expect(code).toContain("import { createEmulator, createReceiver } from 'svc-emulator'");
    writeFileSync(join(project, 'jest.test.mjs'), code);
    const env = { NODE_OPTIONS: '--experimental-vm-modules' };
    const { exitCode, all } = await run(project, [jest, 'jest.test.mjs'], env);
    expect(exitCode, all).toBe(0);
  });
});

describe('Playwright', () => {
  const playwright = join('node_modules', '@playwright', 'test', 'cli.js');

  it('Playwright runs its recipe', async () => {
    add(project, 'playwright.test.js', recipes);
    const { exitCode, all } = await run(project, [playwright, 'test', 'playwright.test.js']);
    expect(exitCode, all).toBe(0);
    expect(all).toMatch(/1 passed/);
  });

  it('Playwright shows what was delivered instead', async () => {
    writeFileSync(
      join(project, 'other.spec.ts'),
      `import { expect, test } from 'svc-emulator/playwright';
       test('other', async ({ workspace, receiver }) => {
         await workspace.trigger('order.shipped', { order: 1 });
         await expect(workspace).toHaveDelivered('order.shipped', { payload: { order: 1 } });
         await expect(workspace).not.toHaveDelivered('order.paid');
         await expect(workspace).toHaveDelivered('order.shipped', { payload: { order: 2 }, to: receiver.url, timeout: 20 });
       });`,
    );
    const { exitCode, all } = await run(project, [playwright, 'test', 'other.spec.ts']);
    expect(exitCode, all).toBe(1);
    expect(all).toMatch(
      /expected deliveries of order\.shipped .*"order":2.*\n\s+del_\w+ to http:.+: succeeded/,
    );
  });
});

it('node:test runs its recipe', async () => {
  add(project, 'node.test.mjs', recipes);
  const { exitCode, all } = await run(project, ['--test', 'node.test.mjs']);
  expect(exitCode, all).toBe(0);
  expect(all).toMatch(/pass 1/);
});

it('deno test runs the recipe for node:test', async () => {
  add(project, 'node.test.mjs', recipes);
  const program = join('node_modules', deno, process.platform === 'win32' ? 'deno.exe' : 'deno');
  const { exitCode, all } = await runIn(project, program, ['test', '-A', '--no-check', 'node.test.mjs']);
  expect(exitCode, all).toBe(0);
  expect(all).toMatch(/1 passed/);
});

it('a CommonJS program loads the library with require()', async () => {
  const { exitCode, all } = await run(project, ['-p', `typeof require('svc-emulator').createEmulator`]);
  expect(exitCode, all).toBe(0);
  expect(all).toMatch(/^function$/m);
});

describe('bun test', () => {
  const program = () => join(project, 'node_modules', bun, 'bin', 'bun');

  beforeEach(async (context) => {
    if (!(await execa(program(), ['--version'], { reject: false })).failed) return;
    process.stderr.write(`SKIPPED: the recipes for bun test, because ${bun} does not run on this machine.\n`);
    context.skip();
  });

  it('bun test runs its recipe', async () => {
    const folder = createProject();
    packed.installInto(join(folder, 'node_modules'));
    add(folder, 'bun.test.js', recipes);
    const { exitCode, all } = await runIn(folder, program(), ['test']);
    rmSync(folder, { recursive: true, force: true });
    expect(exitCode, all).toBe(0);
    expect(all).toMatch(/1 pass\b/);
  });

  it('bun test runs its recipe inside svc emulator exec', async () => {
    add(project, 'bun-exec.test.js', recipes);
    const svc = join('node_modules', 'svc-emulator', 'bin', 'svc.js');
    const args = [svc, 'emulator', 'exec', '--', program(), 'test', 'bun-exec.test.js'];
    const { exitCode, all } = await run(project, args);
    expect(exitCode, all).toBe(0);
    expect(all).toMatch(/1 pass\b/);
  });
});
