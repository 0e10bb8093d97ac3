/** The test counts of `.ci/run` and `npm run test:node`. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
    // Not at once: until Vitest has replied to the messages of the worker, it reports EPIPE instead of the exit.
    'aborts.test.js':
      "it('aborts', async () => { await new Promise((resolve) => setTimeout(resolve, 1_000)); process.abort(); });",
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

/** Runs `npm run test:repeat` with two runs. */
function repeat(folder: string, { args = [], env = {} }: { args?: string[]; env?: Record<string, string> }) {
  const script = join(root, 'scripts/test-repeat.mjs');
  const options = { cwd: folder, env, reject: false } as const;
  return execa(process.execPath, [script, '2', '--output', 'output', ...args], options);
}

function readOutput(folder: string, name: string): string {
  return readFileSync(join(folder, 'output', name), 'utf8');
}

it.skipIf(process.platform === 'win32')(
  'test-repeat.mjs counts the runs in which each test failed, continues after a failure, and keeps only the output of failed runs',
  async () => {
    const counts = { passed: 1, skipped: 0, aborted: 0 };
    const folder = createFiles({
      // Runs instead of Vitest, and fails the first time.
      node: `#!${process.execPath}
        const { existsSync, writeFileSync } = require('node:fs');
        const failures = existsSync(__filename + '.ran') ? [] : ['flaky.test.js › fails'];
        writeFileSync(__filename + '.ran', '');
        writeFileSync(
          process.env.TEST_COUNTS_FILE,
          JSON.stringify({ ...${JSON.stringify(counts)}, failed: failures.length, failures }),
        );
        console.log(failures.length + ' failed');
        process.exitCode = failures.length;`,
    });
    chmodSync(join(folder, 'node'), 0o755);
    mkdirSync(join(folder, 'output'));
    writeFileSync(join(folder, 'output/run-3.log'), 'of an earlier call');
    const { exitCode, stdout } = await repeat(folder, { env: { PATH: folder } });
    expect(exitCode).toBe(1);
    const tally = readOutput(folder, 'tally.txt');
    expect(stdout).toContain(tally);
    expect(tally.replaceAll(/\d+ s$/gm, 'TIME')).toBe(
      `Run 1: 1 passed, 1 failed, 0 skipped, 0 aborted, in TIME
  flaky.test.js › fails
Run 2: 1 passed, 0 failed, 0 skipped, 0 aborted, in TIME

2 of 2 runs: 1 passed, 1 failed
1 of 2  flaky.test.js › fails
`,
    );
    expect(readdirSync(join(folder, 'output')).sort()).toEqual(['run-1.log', 'tally.txt']);
    expect(readOutput(folder, 'run-1.log')).toBe('1 failed\n');
  },
);

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
    const args = ['--globals', '--maxWorkers=2', '--root', folder];
    const { exitCode } = await repeat(folder, { args });
    expect(exitCode).toBe(1);
    expect(readOutput(folder, 'tally.txt')).toMatch(
      /^Run 1: 0 passed, 1 failed, 0 skipped, 0 aborted, interrupted after \d+ s\n {2}1\.test\.js › fails\n/,
    );
  },
);
