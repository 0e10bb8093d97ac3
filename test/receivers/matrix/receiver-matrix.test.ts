/** What svc says about receivers with the mistakes that their frameworks invite. `npm run bench:receivers` has more frameworks. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';
import { SECRET } from '../configurable-receiver.ts';
import { diagnoseRow } from './diagnose-row.ts';
import { type FrameworkName, rows } from './rows.ts';
import { findPython, startRows } from './start-rows.ts';

const packages = join(import.meta.dirname, '../../../node_modules');
/** Those of the packages of this project, and of Debian. */
const frameworks: readonly FrameworkName[] = [
  ...(['express 5', 'fastify', 'hono', 'h3'] as const),
  ...(['flask', 'django', 'fastapi'] as const).filter((name) => {
    if (findPython(name) !== null) return true;
    process.stderr.write(`SKIPPED: the receivers with ${name}; no Python has the module.\n`);
    return false;
  }),
];
/** The text of an object in Python, which svc does not know. */
const unknownMistakes = ['parsed body as text'];

let emulator: TestEmulator;
beforeAll(async () => {
  emulator = await startTestEmulator();
});
afterAll(() => emulator.close());

describe('svc explain', { timeout: 600_000 }, () => {
  it.for(frameworks)(
    'svc explain --probe names the mistake of each receiver with %s, and svc explain names no other',
    async (framework, context) => {
      const own = rows.filter((row) => row.framework === framework && !row.needsInstall);
      const scratch = createTemporaryFolder(context);
      await using receivers = await startRows(own, { secret: SECRET, scratch, packages });
      for (const started of receivers.started) {
        const { row, withoutProbe, withProbe, probed } = await diagnoseRow(emulator, started, SECRET);
        const expected = unknownMistakes.includes(row.mistake) ? 'unknown' : 'named';
        expect(
          [row.mistake, withProbe.rating],
          `${row.mistake}: ${withProbe.cause}\n${JSON.stringify(probed, null, 2)}`,
        ).toEqual([row.mistake, expected]);
        expect([row.mistake, withoutProbe.rating]).not.toEqual([row.mistake, 'false']);
      }
    },
  );
});
