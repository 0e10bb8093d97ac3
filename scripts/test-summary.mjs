// Prints `N passed, N failed[, N skipped]` from a JSON report of vitest, and exits 1 when something failed or nothing ran.
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
// A file that breaks before its tests are known has no tests to count: it counts as one failure.
const broken = report.testResults.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
);
const passed = report.numPassedTests;
const failed = report.numFailedTests + broken.length;
const skipped = report.numPendingTests + report.numTodoTests;

console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = report.success && failed === 0 && passed > 0 ? 0 : 1;
