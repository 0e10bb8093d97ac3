/** The test counts of `.ci/run` and `npm run test:node`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const scripts = join(import.meta.dirname, '../../scripts');

const counts = (numPassedTests: number, numFailedTests: number, numPendingTests: number, success: boolean) =>
  JSON.stringify({ numPassedTests, numFailedTests, numPendingTests, success });

it.each([
  ['adds up the counts of several runs', ['a', 'b'], 0, '5 passed, 0 failed, 1 skipped'],
  ['counts a run that wrote no counts as one failure', ['b', 'absent'], 1, '3 passed, 1 failed'],
  [
    'counts a run in which a file could not be loaded as one failure',
    ['b', 'broken'],
    1,
    '4 passed, 1 failed',
  ],
  ['exits with 1 when no test ran', ['skipped'], 1, '0 passed, 0 failed, 4 skipped'],
])('test-summary.mjs %s', async (_, files, exitCode, stdout) => {
  const cwd = createTemporaryFolder();
  writeFileSync(join(cwd, 'a'), counts(2, 0, 1, true));
  writeFileSync(join(cwd, 'b'), counts(3, 0, 0, true));
  writeFileSync(join(cwd, 'broken'), counts(1, 0, 0, false));
  writeFileSync(join(cwd, 'skipped'), counts(0, 0, 4, true));
  const summary = execa(process.execPath, [join(scripts, 'test-summary.mjs'), ...files], {
    cwd,
    reject: false,
  });
  expect(await summary).toMatchObject({ exitCode, stdout });
});

it.each([
  ['test-node.mjs --runs 0', '--runs takes a whole number from 1.', 'node'],
  ['test-node.mjs 24 --report', '--report needs a value.', 'node'],
  [
    'test-platform.mjs bundle',
    '"bundle" is not one of runners, package, examples, driver, modules, bundles, executable.',
    'platform',
  ],
])('%s exits with 2 and says what is wrong', async (line, message, name) => {
  const [script = '', ...args] = line.split(' ');
  const run = execa(process.execPath, [join(scripts, script), ...args], { reject: false });
  expect(await run).toMatchObject({
    exitCode: 2,
    stderr: `${message}\nSee: npm run test:${name} -- --help`,
  });
});
