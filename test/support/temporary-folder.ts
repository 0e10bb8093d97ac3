import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

interface Context {
  onTestFinished(remove: () => void): unknown;
}

/**
 * Creates an empty folder that is removed after the test.
 * @param context of a test that runs at the same time as others, or `{ onTestFinished: afterAll }` for all tests of a file
 */
export function createTemporaryFolder(context: Context = { onTestFinished }): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
