// The recipes of docs/testing.md in their test runners, with the packed package.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProject, expectOutput, installPacked, npmInstall, root, run, runNode } from './projects.mjs';

const recipes = join(import.meta.dirname, 'recipes');
const vitestExamples = join(root, 'test/library/examples');

/** Bun and Deno publish their program as one package for each platform. */
const { platform, arch } = process;
const bun = `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}`;
const hasBun = ['@oven/bun-linux-x64', '@oven/bun-darwin-aarch64'].includes(bun);
const deno = `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`;

const versions = [
  'jest@30.5.2',
  'vitest@5.1.1',
  '@playwright/test@1.65.1',
  `${deno}@2.9.6`,
  ...(hasBun ? [`${bun}@1.4.5`] : []),
];

/** Words that start a runner in a project. */
const jest = ['node', 'node_modules/jest/bin/jest.js'];
const vitest = ['node', 'node_modules/vitest/vitest.mjs', 'run'];
const playwright = ['node', 'node_modules/@playwright/test/cli.js', 'test'];
const bunProgram = `node_modules/${bun}/bin/bun`;
const denoProgram = `node_modules/${deno}/${platform === 'win32' ? 'deno.exe' : 'deno'}`;
const tsc = [
  'node',
  join(root, 'node_modules/typescript/bin/tsc'),
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  'false',
];
const tscOptions = [
  '--target',
  'es2023',
  '--types',
  'node',
  '--lib',
  'es2023,esnext.disposable',
  '--module',
  'nodenext',
];

const MISUSE = `import { test } from 'svc-emulator/vitest';
  import { expect } from 'vitest';
  test('misuse', async ({ workspace, receiver }) => {
    await expect(workspace).not.toHaveDelivered('order.shipped', { to: receiver.url });
    // @ts-expect-error times is a number
    await expect(workspace).toHaveDelivered('order.shipped', { times: '1' });
    // @ts-expect-error the matcher returns a promise
    const text: string = expect(workspace).toHaveDelivered('order.shipped');
    // @ts-expect-error there is no such fixture
    test('other', ({ receivers }) => receivers);
  });`;

const NOT_AWAITED = `const { createEmulator } = require('svc-emulator');
  test('misuse', () => {
    const emulator = createEmulator();
    emulator.trigger('order.shipped');
  });`;

const OTHER = `import { expect, test } from 'svc-emulator/playwright';
  test('other', async ({ workspace, receiver }) => {
    await workspace.trigger('order.shipped', { order: 1 });
    await expect(workspace).toHaveDelivered('order.shipped', { payload: { order: 1 } });
    await expect(workspace).not.toHaveDelivered('order.paid');
    await expect(workspace).toHaveDelivered('order.shipped', { payload: { order: 2 }, to: receiver.url, timeout: 20 });
  });`;

/** @returns the folders of a project with the runners of `versions`, of one with the Vitest of this repository, and of one for Bun */
export async function setUp() {
  const project = createProject();
  await npmInstall(project, versions);
  await installPacked(project, ['@types/node']);
  const withVitest4 = createProject();
  await installPacked(withVitest4, ['@types/node', 'vitest']);
  for (const name of readdirSync(recipes))
    if (name !== 'bun.test.js') copyFileSync(join(recipes, name), join(project, name));
  for (const folder of [project, withVitest4]) {
    for (const name of readdirSync(vitestExamples))
      copyFileSync(join(vitestExamples, name), join(folder, name));
    writeFileSync(join(folder, 'misuse.test.ts'), MISUSE);
  }
  writeFileSync(join(project, 'not-awaited.test.cjs'), NOT_AWAITED);
  writeFileSync(join(project, 'other.spec.ts'), OTHER);
  const recipe = readFileSync(join(recipes, 'jest.test.cjs'), 'utf8');
  const code = recipe.replace(/^const (.*) = require\((.*)\)/m, 'import $1 from $2');
  assert.ok(code.includes("import { createEmulator, createReceiver } from 'svc-emulator'"));
  writeFileSync(join(project, 'jest.test.mjs'), code);
  // `bun test` runs every test file of its folder.
  const forBun = createProject();
  mkdirSync(join(forBun, 'node_modules'), { recursive: true });
  await installPacked(forBun);
  copyFileSync(join(recipes, 'bun.test.js'), join(forBun, 'bun.test.js'));
  return { project, withVitest4, forBun };
}

/** A title, the project, the command line, the exit code, what it prints, and variables. */
const table = [
  ...[
    ['Vitest 4', 'withVitest4', /v4\./],
    ['Vitest 5', 'project', /v5\./],
  ].flatMap(([name, folder, version]) => [
    [
      `the types of svc-emulator/vitest compile with ${name}`,
      folder,
      [...tsc, ...tscOptions, ...readdirSync(vitestExamples), 'misuse.test.ts'],
      0,
      [],
    ],
    // Examples that use both entry points. The unit tests run all examples.
    [
      `the examples of docs/testing.md pass with ${name}`,
      folder,
      [...vitest, 'any-runner.test.ts', 'retries.test.ts'],
      0,
      [version, /Test Files +2 passed/],
    ],
  ]),
  [
    'Jest runs its recipe, and an emulator continues while a test has fake timers',
    'project',
    [...jest, '--runInBand', 'jest.test.cjs', 'jest-fake-timers.test.cjs'],
    0,
    [/Tests: +2 passed, 2 total/],
  ],
  [
    'the emulator runs while the configuration of Jest enables fake timers',
    'project',
    [...jest, '--config', '{"fakeTimers":{"enableGlobally":true}}', 'jest.test.cjs'],
    0,
    [],
  ],
  [
    'Jest shows the error of a test that does not await the start',
    'project',
    [...jest, '--forceExit', 'not-awaited.test.cjs'],
    1,
    [/TypeError: emulator\.trigger is not a function/, /^(?![\s\S]*is not installed)/],
  ],
  [
    'Jest runs its recipe as an ES module with the flag of Node.js',
    'project',
    [...jest, 'jest.test.mjs'],
    0,
    [],
    { NODE_OPTIONS: '--experimental-vm-modules' },
  ],
  ['Playwright runs its recipe', 'project', [...playwright, 'playwright.test.js'], 0, [/1 passed/]],
  [
    'Playwright shows what was delivered instead',
    'project',
    [...playwright, 'other.spec.ts'],
    1,
    [/expected deliveries of order\.shipped .*"order":2.*\n\s+del_\w+ to http:.+: succeeded/],
  ],
  ['node:test runs its recipe', 'project', ['node', '--test', 'node.test.mjs'], 0, [/pass 1/]],
  [
    'deno test runs the recipe for node:test',
    'project',
    [denoProgram, 'test', '-A', '--no-check', 'node.test.mjs'],
    0,
    [/1 passed/],
  ],
  [
    'a CommonJS program loads the library with require()',
    'project',
    ['node', '-p', `typeof require('svc-emulator').createEmulator`],
    0,
    [/^function$/m],
  ],
  ['bun test runs its recipe', 'forBun', ['bun', 'test'], 0, [/1 pass\b/]],
  [
    'bun test runs its recipe inside svc emulator exec',
    'project',
    [
      'node',
      'node_modules/svc-emulator/bin/svc.js',
      'emulator',
      'exec',
      '--',
      'bun',
      'test',
      'bun-exec.test.js',
    ],
    0,
    [/1 pass\b/],
  ],
];

export const rows = table.map(([title, folder, words, exitCode, patterns, env = {}]) => ({
  title,
  async skip({ project }) {
    if (!words.includes('bun')) return null;
    return hasBun && !(await run(project, bunProgram, ['--version'])).failed
      ? null
      : `${bun} does not run here`;
  },
  async run(folders) {
    const [file, ...args] = words.map((word) => (word === 'bun' ? join(folders.project, bunProgram) : word));
    const start = file === 'node' ? runNode : (cwd, all, options) => run(cwd, file, all, options);
    expectOutput(await start(folders[folder], args, { env }), exitCode, ...patterns);
  },
}));
