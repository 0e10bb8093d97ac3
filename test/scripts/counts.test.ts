/** The test counts of `.ci/run` and `npm run test:node`. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

/** Runs the tests in the folder twice, two files at a time. */
function repeat(folder: string) {
  const args = ['2', '--output', 'output', '--globals', '--maxWorkers=2', '--root', folder];
  const script = join(root, 'scripts/test-repeat.mjs');
  return execa(process.execPath, [script, ...args], { cwd: folder, reject: false });
}

function readOutput(folder: string, name: string): string {
  return readFileSync(join(folder, 'output', name), 'utf8');
}

it('test-repeat.mjs counts the runs in which each test failed, continues after a failure, and keeps the output of failed runs', async () => {
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
  const { exitCode, stdout } = await repeat(folder);
  expect(exitCode).toBe(1);
  const tally = readOutput(folder, 'tally.txt');
  expect(stdout).toContain(tally);
  expect(tally.replaceAll(/\d+ s$/gm, 'TIME')).toBe(
    `Run 1: 1 passed, 1 failed, 0 skipped, 0 aborted, in TIME
  flaky.test.js › fails in the first run
Run 2: 2 passed, 0 failed, 0 skipped, 0 aborted, in TIME

2 of 2 runs: 1 passed, 1 failed
1 of 2  flaky.test.js › fails in the first run
`,
  );
  expect(readdirSync(join(folder, 'output'))).toEqual(['run-1.log', 'tally.txt']);
  expect(readOutput(folder, 'run-1.log')).toContain('expected false to be true');
});

it.skipIf(process.platform !== 'linux')(
  'the tally of test-repeat.mjs contains the failures of a run that SIGINT ends',
  async () => {
    const folder = createFiles({
      '1.test.js': "it('fails', () => { throw new Error('on purpose'); });",
      // Like Ctrl-C in a terminal, which signals all processes of the foreground.
      '2.test.js': `import { existsSync, readFileSync } from 'node:fs';
        it('does not end', { timeout: 60_000 }, async () => {
          await vi.waitUntil(() => existsSync(process.env.TEST_COUNTS_FILE), 60_000);
          const vitest = process.ppid;
          const parentOf = (pid) => Number(readFileSync(\`/proc/\${pid}/stat\`, 'utf8').split(' ')[3]);
          for (const pid of [parentOf(vitest), vitest]) process.kill(pid, 'SIGINT');
          await new Promise(() => {});
        });`,
    });
    const { exitCode } = await repeat(folder);
    expect(exitCode).toBe(1);
    expect(readOutput(folder, 'tally.txt')).toMatch(
      /^Run 1: 0 passed, 1 failed, 0 skipped, 0 aborted, interrupted after \d+ s\n {2}1\.test\.js › fails\n/,
    );
  },
);
