// Adds up the counts of scripts/counts-reporter.mjs and prints `N passed, N failed[, N skipped]`. Exits with 1 if a test failed, a run
// wrote no counts, or no test passed.
import { readFileSync } from 'node:fs';

const files = process.argv.slice(2).map(readCounts);
const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((name) =>
  files.reduce((sum, counts) => sum + counts[name], 0),
);

console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}
