// npm run test:node: runs the tests with other Node.js versions, which it gets from npm.
import { writeFileSync } from 'node:fs';
import { getNode, isNodeVersion, withNode } from './node-versions.mjs';
import { noCounts, runVitest, tallyFailures } from './run-vitest.mjs';

const HELP = `Run the tests with other Node.js versions

Each version is downloaded from npm once and kept in node_modules/.cache/svc-node.

Usage: npm run test:node -- [versions...] [options] [arguments for Vitest...]

Arguments:
  versions          Node.js versions such as 24 or 24.21.0 (default: 22 24 26)

Options:
  --project NAME    Vitest project to run, repeatable (default: all except browser)
  --runs N          Number of runs with each version (default: 1)
  --report FILE     Write the counts of all runs to FILE, for scripts/test-summary.mjs
  --help            Show this text

Everything else goes to Vitest, for example a test file or -t PATTERN.
The exit code is 1 when a test failed or a process aborted.

Examples:
  # Run everything with three versions
  npm run test:node -- 22 24 26

  # Look for native crashes: five runs of the unit tests
  npm run test:node -- 24 --project unit --runs 5

  # Run two folders with one exact version
  npm run test:node -- 24.18.0 --project unit test/store test/http
`;

try {
  const options = readArguments(process.argv.slice(2));
  if (options === null) process.stdout.write(HELP);
  else await main(options);
} catch (error) {
  console.error(`${error.message}\nSee: npm run test:node -- --help`);
  process.exitCode = 2;
}

async function main({ versions, runs, report, vitest }) {
  const nodes = [];
  // Get all versions before the first run, so that a version that does not exist is reported immediately.
  for (const version of versions) nodes.push(await getNode(version));
  const results = [];
  for (const node of nodes) {
    const counts = [];
    for (let run = 1; run <= runs; run++) {
      console.error(`\n== Node.js ${node.version}${runs > 1 ? `, run ${run} of ${runs}` : ''}`);
      counts.push(await runVitest(vitest, { env: withNode(node) }));
    }
    results.push({ version: node.version, ...sumCounts(counts), failures: tallyFailures(counts) });
  }
  const total = sumCounts(results);
  printSummary(results, runs);
  if (report !== undefined) writeFileSync(report, JSON.stringify(total));
  process.exitCode = total.failed === 0 && total.aborted === 0 && results.every(hasPassedTests) ? 0 : 1;
}

function hasPassedTests({ passed }) {
  return passed > 0;
}

/** @returns null for --help */
function readArguments(args) {
  const versions = [];
  const projects = [];
  const vitest = [];
  let runs = 1;
  let report;
  for (let i = 0; i < args.length; i++) {
    const [name, inline] = args[i].split(/=(.*)/s);
    const value = () => inline ?? args[++i] ?? throwMissingValue(name);
    if (name === '--help' || name === '-h') return null;
    if (name === '--project') projects.push(value());
    else if (name === '--runs') runs = readRuns(value());
    else if (name === '--report') report = value();
    else if (isNodeVersion(args[i]) && vitest.length === 0) versions.push(args[i]);
    else vitest.push(args[i]);
  }
  if (versions.length === 0) versions.push('22', '24', '26');
  if (projects.length === 0) projects.push('!browser');
  return { versions, runs, report, vitest: [...projects.flatMap((name) => ['--project', name]), ...vitest] };
}

function readRuns(text) {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new Error(`--runs takes a whole number from 1, not ${JSON.stringify(text)}.`);
}

function throwMissingValue(name) {
  throw new Error(`${name} needs a value.`);
}

function sumCounts(runs) {
  const sum = (name) => runs.reduce((total, counts) => total + counts[name], 0);
  return Object.fromEntries(Object.keys(noCounts).map((name) => [name, sum(name)]));
}

function printSummary(results, runs) {
  const columns = ['passed', 'failed', 'skipped', 'aborted'];
  const line = (first, rest) => `${first.padEnd(10)}${rest.map((cell) => String(cell).padStart(9)).join('')}`;
  console.log(`\n${line('Node.js', ['runs', ...columns])}`);
  for (const result of results) {
    console.log(line(result.version, [runs, ...columns.map((name) => result[name])]));
    if (runs > 1) for (const failure of result.failures) console.log(`  ${failure}`);
  }
}
