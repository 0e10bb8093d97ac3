// npm run test:node: runs the tests with other Node.js versions, which it gets from npm, or several times.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { execa } from 'execa';
import { getNode, isNodeVersion, withNode } from './node-versions.mjs';

const HELP = `Run the tests with other Node.js versions, or several times

Each version is downloaded from npm once and kept in node_modules/.cache/svc-node.

Usage: npm run test:node -- [versions...] [options] [arguments for Vitest...]

Arguments:
  versions          Node.js versions such as 24 or 24.21.0 (default: 22 24 26)

Options:
  --runs N          Number of runs with each version (default: 1)
  --report FILE     Write the counts of all runs to FILE, for scripts/test-summary.mjs
  --help            Show this text

Everything else goes to Vitest, for example a test file or -t PATTERN.
At the end, each test that failed is listed with the number of runs in which it failed. The exit code is 1 if a run failed.

Examples:
  # Run everything with three versions
  npm run test:node -- 22 24 26

  # Look for flaky tests of one folder
  npm run test:node -- 20 --runs 100 test/http
`;

const root = join(import.meta.dirname, '..');

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) process.stdout.write(HELP);
else
  await main().catch((error) => {
    console.error(`${error.message}\nSee: npm run test:node -- --help`);
    process.exitCode = 2;
  });

async function main() {
  const runs = Number(takeOption('--runs') ?? '1');
  if (!(Number.isSafeInteger(runs) && runs > 0)) throw new Error('--runs takes a whole number from 1.');
  const report = takeOption('--report');
  const versions = [];
  while (isNodeVersion(args[0])) versions.push(args.shift());
  if (versions.length === 0) versions.push('22', '24', '26');
  const nodes = [];
  // Get all versions before the first run, so that a version that does not exist is reported immediately.
  for (const version of versions) nodes.push(await getNode(version));
  const total = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, success: true };
  for (const node of nodes) {
    const failures = new Map();
    for (let run = 1; run <= runs; run++) {
      console.error(`\n== Node.js ${node.version}, run ${run} of ${runs}`);
      const counts = await runVitest(node, args);
      for (const name of ['numPassedTests', 'numFailedTests', 'numPendingTests']) total[name] += counts[name];
      total.success &&= counts.success;
      for (const test of counts.failures) failures.set(test, (failures.get(test) ?? 0) + 1);
    }
    console.log(`\nNode.js ${node.version}: ${failures.size === 0 ? 'no test failed' : 'failed tests'}`);
    for (const [test, count] of failures) console.log(`  ${count} of ${runs}  ${test}`);
  }
  if (report !== undefined) writeFileSync(report, JSON.stringify(total));
  process.exitCode = total.success && total.numPassedTests > 0 ? 0 : 1;
}

function takeOption(name) {
  const index = args.indexOf(name);
  if (index === -1) return undefined;
  const [, value] = args.splice(index, 2);
  if (value === undefined) throw new Error(`${name} needs a value.`);
  return value;
}

/** @returns the counts of Vitest's JSON reporter, and the names of the failed tests. A crash of Vitest or of a worker is a failure. */
async function runVitest(node, vitestArgs) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-node-'));
  const file = join(folder, 'counts.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const command = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...vitestArgs];
    const { failed } = await execa(node.program, command, {
      ...{ cwd: root, env: withNode(node), stdio: 'inherit', reject: false },
    });
    const empty = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, testResults: [] };
    const counts = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : empty;
    const failures = counts.testResults
      .filter(({ status }) => status === 'failed')
      .flatMap(({ name, assertionResults }) => {
        const tests = assertionResults.filter((test) => test.status === 'failed');
        const titles = tests.length === 0 ? ['cannot be loaded'] : tests.map(({ fullName }) => fullName);
        return titles.map((title) => `${relative(root, name)} › ${title}`);
      });
    if (failed && failures.length === 0) failures.push('Vitest failed without a failed test');
    return { ...counts, success: !failed, failures };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
