// Runs Vitest with scripts/counts-reporter.mjs and returns the counts.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

const root = join(import.meta.dirname, '..');
const CRASH_SIGNALS = ['SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGTRAP'];
export const noCounts = { passed: 0, failed: 0, skipped: 0, aborted: 0 };

/** The exit code of Vitest after SIGINT. */
const INTERRUPTED = 130;

/**
 * Runs Vitest once, with the `node` program in PATH.
 * @param log a file that receives the output too
 * @returns `{ passed, failed, skipped, aborted, failures }`; a failed run without a failed test counts as one failure.
 * A run that SIGINT ends has the failures until then.
 */
export async function runVitest(args, { reporter = 'default', env = {}, log } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-counts-'));
  const countsFile = join(folder, 'counts.json');
  try {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const reporters = [`--reporter=${reporter}`, `--reporter=${join(root, 'scripts/counts-reporter.mjs')}`];
    const output = log === undefined ? 'inherit' : ['inherit', { file: log }];
    const run = await execa('node', [vitest, 'run', ...reporters, ...args], {
      cwd: root,
      stdin: 'inherit',
      stdout: output,
      stderr: output,
      buffer: false,
      reject: false,
      env: { ...env, TEST_COUNTS_FILE: countsFile },
    });
    const counts = existsSync(countsFile)
      ? JSON.parse(readFileSync(countsFile, 'utf8'))
      : { ...noCounts, failures: [] };
    const aborted = counts.aborted + (CRASH_SIGNALS.includes(run.signal) ? 1 : 0);
    const isInterrupted = run.signal === 'SIGINT' || run.exitCode === INTERRUPTED;
    // Vitest itself can fail without a failed test, for example in a global setup.
    const isUnexplained = run.failed && counts.failed === 0 && !isInterrupted;
    return {
      ...counts,
      aborted,
      failed: isUnexplained ? 1 : counts.failed,
      failures: isUnexplained ? ['Vitest failed without a failed test'] : counts.failures,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The number of runs in which each test failed, most frequent first, one line each. */
export function tallyFailures(runs) {
  const counts = new Map();
  for (const test of runs.flatMap(({ failures }) => [...new Set(failures)])) {
    counts.set(test, (counts.get(test) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([test, count]) => `${count} of ${runs.length}  ${test}`);
}
