/** The programs of `docs/tutorial.md`, run as a reader would: each fails the checks that the tutorial says. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkReceiver, idsOf } from '../receiver/check-receiver.ts';
import { SECRET } from '../receiver/defective-receiver.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
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
  const count = async () => (await receiver.printed(/^/)).match(/^processed /gm)?.length ?? 0;
  return { report: await checkReceiver({ url: `${origin}/webhooks`, count }), origin, count };
}

describe('the tutorial', { timeout: 60_000 }, () => {
  it('has three programs', () => {
    expect(programs).toHaveLength(3);
  });

  it('starts with a receiver that accepts forged deliveries', async () => {
    const { report } = await checkProgram(programs[0] ?? '');
    expect(idsOf(report, 'failed')).toContain('signature.other-secret');
  });

  it('continues with a receiver that accepts old and repeated deliveries only', async () => {
    const { report } = await checkProgram(programs[1] ?? '');
    const rules = new Set(idsOf(report, 'failed').map((id) => id.split('.')[0]));
    expect([...rules].sort()).toEqual(['deduplication', 'timestamp']);
  });

  it('ends with a receiver that passes every check and returns its count', async () => {
    const { report, origin, count } = await checkProgram(programs[2] ?? '');
    expect(idsOf(report, 'failed')).toEqual([]);
    const response = await fetch(`${origin}/count`);
    expect(await response.json()).toEqual({ count: await count() });
  });
});
