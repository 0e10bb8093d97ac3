// Adds up the files of Vitest's JSON reporter and prints `N passed, N failed[, N skipped]`. Exits with 1 if a run failed or wrote no
// file, or if no test passed.
import { readFileSync } from 'node:fs';

const files = process.argv.slice(2).map(readCounts);
const sum = (name) => files.reduce((total, counts) => total + counts[name], 0);
const passed = sum('numPassedTests');
// A file that cannot be loaded has no failed test.
const failed = sum('numFailedTests') || files.filter(({ success }) => !success).length;
const skipped = sum('numPendingTests');

console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0, success: false };
  }
}
