// Adds up counts that scripts/counts-reporter.mjs wrote, prints `N passed, N failed[, N skipped]`, and exits 1 when something
// failed, a run wrote no counts, or nothing ran.
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
