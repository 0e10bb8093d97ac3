/** Runs the programs of `docs/tutorial.md`: each fails the checks that the tutorial says. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { checkReceiver, idsOf } from './check-receiver.ts';
import { SECRET } from './configurable-receiver.ts';
import { ready, startProgram } from './receiver-process.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/tutorial.md'), 'utf8');
const programs = Array.from(page.matchAll(/^```js\n(.*?)^```$/gms), ([, code = '']) => code);

async function checkProgram(code: string) {
  const scratch = createTemporaryFolder();
  const file = join(scratch, 'receiver.mjs');
  writeFileSync(file, code);
  const receiver = await startProgram([process.execPath, file], { secret: SECRET, scratch, ready });
  onTestFinished(receiver.stop);
  const origin = `http://127.0.0.1:${receiver.port}`;
  const countSideEffects = async () => (await receiver.printed(/^/)).match(/^processed /gm)?.length ?? 0;
  return {
    report: await checkReceiver({ url: `${origin}/webhooks`, countSideEffects }),
    origin,
    countSideEffects,
  };
}

describe('docs/tutorial.md', { timeout: 60_000 }, () => {
  it('the first program of the tutorial accepts tampered deliveries', async () => {
    const { report } = await checkProgram(programs[0] ?? '');
    expect(idsOf(report, 'failed')).toContain('signature.other-secret');
  });

  it('the second program of the tutorial accepts only old and repeated deliveries', async () => {
    const { report } = await checkProgram(programs[1] ?? '');
    const rules = new Set(idsOf(report, 'failed').map((id) => id.split('.')[0]));
    expect([...rules].sort()).toEqual(['deduplication', 'rejection', 'timestamp']);
    expect(idsOf(report, 'failed').filter((id) => id.startsWith('timestamp.'))).toHaveLength(4);
    expect(idsOf(report, 'failed').filter((id) => id.startsWith('rejection.'))).toEqual([
      'rejection.no-side-effect',
    ]);
  });

  it('the last program of the tutorial passes every check and returns its count', async () => {
    const { report, origin, countSideEffects } = await checkProgram(programs[2] ?? '');
    expect(idsOf(report, 'failed')).toEqual([]);
    expect(page).toContain(`${report.passed} passed, 0 failed, 0 inconclusive.`);
    const response = await fetch(`${origin}/count`);
    expect(await response.json()).toEqual({ count: await countSideEffects() });
  });
});
