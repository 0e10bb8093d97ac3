// npm run test:repeat: runs the tests many times, to find flaky ones.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runVitest, tallyFailures } from './run-vitest.mjs';

const HELP = `Run the tests many times and count which ones fail

Usage: npm run test:repeat -- [runs] [options] [arguments for Vitest...]

Arguments:
  runs              Number of runs (default: 20)

Options:
  --output FOLDER   Where to write tally.txt after each run, and the output of each failed run as run-N.log
                    (default: build/test-repeat)
  --help            Show this text

A failed run does not stop the next one. Ctrl-C ends the current run. The tally then contains its failures so far.
The exit code is 1 when a test failed in any run, or no run finished.

Examples:
  # Run everything 20 times
  npm run test:repeat

  # Run the tests of one folder 100 times
  npm run test:repeat -- 100 test/http
`;

let isInterrupted = false;
// Vitest receives the signal as well.
process.on('SIGINT', () => {
  isInterrupted = true;
});

try {
  const options = readArguments(process.argv.slice(2));
  if (options === null) process.stdout.write(HELP);
  else await main(options);
} catch (error) {
  console.error(`${error.message}\nSee: npm run test:repeat -- --help`);
  process.exitCode = 2;
}

/** @returns null for --help */
function readArguments(args) {
  const vitest = [];
  let count = 20;
  let output = 'build/test-repeat';
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '--help') return null;
    if (args[i] === '--output') output = args[++i];
    else if (i === 0 && /^[1-9]\d*$/.test(args[i])) count = Number(args[i]);
    else vitest.push(args[i]);
  }
  if (output === undefined) throw new Error('--output needs a value.');
  return { count, output: resolve(output), vitest };
}

async function main({ count, output, vitest }) {
  mkdirSync(output, { recursive: true });
  removeLogs(output);
  const runs = [];
  while (runs.length < count && !isInterrupted) {
    const number = runs.length + 1;
    const log = join(output, `run-${number}.log`);
    const startedAt = performance.now();
    const counts = await runVitest(vitest, { reporter: 'dot', log });
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const run = { ...counts, number, seconds, isInterrupted };
    runs.push(run);
    if (!hasFailed(run)) rmSync(log);
    console.log(`\n== ${describeRun(run)}`);
    writeFileSync(join(output, 'tally.txt'), `${describeRuns(runs, count)}\n`);
  }
  console.log(`\n${describeRuns(runs, count)}\n\nWritten to ${output}`);
  process.exitCode = runs.some(hasFailed) || runs[0].isInterrupted ? 1 : 0;
}

/** Removes the output of an earlier call. */
function removeLogs(folder) {
  const logs = readdirSync(folder).filter((name) => /^run-\d+\.log$/.test(name));
  for (const name of logs) rmSync(join(folder, name));
}

function hasFailed({ passed, failed, aborted, isInterrupted }) {
  return failed > 0 || aborted > 0 || (passed === 0 && !isInterrupted);
}

/** The counts and the duration of a run, and a line for each failure. */
function describeRun({ number, seconds, passed, failed, skipped, aborted, failures, isInterrupted }) {
  const counts = `${passed} passed, ${failed} failed, ${skipped} skipped, ${aborted} aborted`;
  const end = isInterrupted ? 'interrupted after' : 'in';
  return [`Run ${number}: ${counts}, ${end} ${seconds} s`, ...failures.map((test) => `  ${test}`)].join('\n');
}

/** All runs, and the number of runs in which each test failed. */
function describeRuns(runs, count) {
  const failed = runs.filter(hasFailed).length;
  const interrupted = runs.filter((run) => run.isInterrupted && !hasFailed(run)).length;
  const passed = runs.length - failed - interrupted;
  const total = `${runs.length} of ${count} runs: ${passed} passed, ${failed} failed`;
  return [
    ...runs.map(describeRun),
    '',
    interrupted > 0 ? `${total}, ${interrupted} interrupted` : total,
    ...tallyFailures(runs),
  ].join('\n');
}
