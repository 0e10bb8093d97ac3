/** The test counts of `.ci/run` and `npm run test:node`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const reporter = join(root, 'scripts/counts-reporter.mjs');

/** Creates a folder with these files. */
function createFiles(files: Readonly<Record<string, string>>): string {
  const folder = createTemporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

function summarize(cwd: string, ...files: string[]) {
  return execa(process.execPath, [join(root, 'scripts/test-summary.mjs'), ...files], { cwd, reject: false });
}

it('counts-reporter.mjs counts tests, files that cannot be loaded, and processes that crash', async () => {
  const folder = createFiles({
    'passes.test.js': "it('passes', () => {}); it('is skipped', { skip: true }, () => {});",
    'fails.test.js': "it('fails', () => { throw new Error('svc was killed by SIGSEGV'); });",
    'broken.test.js': "throw new Error('broken');",
    'aborts.test.js': "it('aborts', () => process.abort());",
  });
  const counts = join(folder, 'counts.json');
  const args = ['run', '--globals', `--reporter=${reporter}`, '--root', folder];
  const env = { TEST_COUNTS_FILE: counts };
  const run = await execa(process.execPath, [vitest, ...args], { cwd: folder, env, reject: false });
  expect(run.exitCode).toBe(1);
  expect(JSON.parse(readFileSync(counts, 'utf8'))).toEqual({
    passed: 1,
    failed: 3,
    skipped: 2,
    aborted: 2,
    failures: [
      'fails.test.js › fails',
      'broken.test.js',
      expect.stringMatching(/^outside of a test: .*Worker exited unexpectedly/),
    ],
  });
});

it('test-summary.mjs adds up the counts of several runs', async () => {
  const folder = createFiles({
    'a.json': '{"passed":2,"failed":0,"skipped":1,"aborted":0}',
    'b.json': '{"passed":3,"failed":0,"skipped":0,"aborted":0}',
  });
  const both = await summarize(folder, 'a.json', 'b.json');
  expect(both).toMatchObject({ exitCode: 0, stdout: '5 passed, 0 failed, 1 skipped' });
  expect(await summarize(folder, 'b.json')).toMatchObject({ exitCode: 0, stdout: '3 passed, 0 failed' });
});

it('test-summary.mjs counts a run that wrote no counts as one failure', async () => {
  const folder = createFiles({ 'a.json': '{"passed":2,"failed":0,"skipped":0,"aborted":0}' });
  const summary = await summarize(folder, 'a.json', 'absent.json');
  expect(summary).toMatchObject({ exitCode: 1, stdout: '2 passed, 1 failed' });
});

it('test-summary.mjs exits with 1 when no test ran', async () => {
  const folder = createFiles({ 'a.json': '{"passed":0,"failed":0,"skipped":4,"aborted":0}' });
  const summary = await summarize(folder, 'a.json');
  expect(summary).toMatchObject({ exitCode: 1, stdout: '0 passed, 0 failed, 4 skipped' });
});

it('test-repeat.mjs counts the runs in which each test failed, and continues after a failure', async () => {
  const folder = createFiles({
    'flaky.test.js': `import { existsSync, writeFileSync } from 'node:fs';
      it('passes', () => {});
      it('fails in the first run', () => {
        const marker = new URL('marker', import.meta.url);
        const hasRun = existsSync(marker);
        writeFileSync(marker, '');
        expect(hasRun).toBe(true);
      });`,
  });
  const args = ['2', '--globals', '--root', folder];
  const { exitCode, stdout } = await execa(
    process.execPath,
    [join(root, 'scripts/test-repeat.mjs'), ...args],
    {
      reject: false,
    },
  );
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^== Run 1 of 2: 1 passed, 1 failed, 0 skipped, 0 aborted \(\d+ s\)$/m);
  expect(stdout).toMatch(/\n2 runs: 1 passed, 1 failed\n1 of 2 {2}flaky\.test\.js › fails in the first run$/);
});
