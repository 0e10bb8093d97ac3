// npm run test:repeat: runs the tests many times, to find flaky ones.
import { runVitest, tallyFailures } from './run-vitest.mjs';

const HELP = `Run the tests many times and count which ones fail

Usage: npm run test:repeat -- [runs] [arguments for Vitest...]

Arguments:
  runs              Number of runs (default: 20)

Options:
  --help            Show this text

A failed run does not stop the next one. Ctrl-C ends the current run and prints the tally of the finished ones.
The exit code is 1 when a test failed in any run.

Examples:
  # Run everything 20 times
  npm run test:repeat

  # Run the tests of one folder 100 times
  npm run test:repeat -- 100 test/http
`;

const [first = '', ...rest] = process.argv.slice(2);
const hasRuns = /^[1-9]\d*$/.test(first);
const count = hasRuns ? Number(first) : 20;
const args = hasRuns || first === '' ? rest : [first, ...rest];

let isInterrupted = false;
// Vitest receives the signal as well.
process.on('SIGINT', () => {
  isInterrupted = true;
});

if ([first, ...rest].includes('--help')) process.stdout.write(HELP);
else await main();

async function main() {
  const runs = [];
  while (runs.length < count) {
    const startedAt = performance.now();
    const run = await runVitest(args, { reporter: 'dot' });
    if (isInterrupted) break;
    runs.push(run);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const { passed, failed, skipped, aborted } = run;
    console.log(
      `\n== Run ${runs.length} of ${count}: ${passed} passed, ${failed} failed, ${skipped} skipped, ${aborted} aborted (${seconds} s)`,
    );
  }
  const failedRuns = runs.filter(({ failed, aborted, passed }) => failed > 0 || aborted > 0 || passed === 0);
  console.log(
    `\n${runs.length} runs: ${runs.length - failedRuns.length} passed, ${failedRuns.length} failed`,
  );
  for (const line of tallyFailures(runs)) console.log(line);
  process.exitCode = failedRuns.length === 0 && runs.length > 0 ? 0 : 1;
}
