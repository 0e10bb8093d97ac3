import { readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EmulatorLog } from '../../../src/cli/exec/emulator-log.ts';
import type { LiveStream } from '../../../src/operations/control-plane.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { aDelivery, anAttempt, streamOf } from '../fake-context.ts';

const { signal } = new AbortController();
const items = [
  { type: 'ready' },
  {
    type: 'request',
    request: {
      ...{ id: 'req_1', at: '2026-11-20T12:00:00.000Z', method: 'POST', path: '/v1/events', status: 201 },
      ...{ duration_ms: 3, error_code: null, fault: null },
    },
  },
  { type: 'attempt', attempt: anAttempt({ error: null }), delivery: aDelivery() },
  { type: 'delivery', delivery: aDelivery() },
  { type: 'reset' },
];

function createLog() {
  const path = join(createTemporaryFolder(), 'emulator.log');
  return Object.assign(new EmulatorLog(path), { path });
}

describe('the log of svc emulator exec', () => {
  it('the log is empty at first, and only its owner can read it', () => {
    const { path } = createLog();
    expect(readFileSync(path, 'utf8')).toBe('');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('the log has a line for each request, attempt and reset, without colors', async () => {
    const log = createLog();
    const inputs: unknown[] = [];
    const stream = (input: unknown): LiveStream => {
      inputs.push(input);
      return streamOf(items);
    };
    await log.follow({ stream }, signal);
    expect(inputs).toEqual([{ types: 'request,attempt' }]);
    expect(log.lastLines).toEqual([
      expect.stringMatching(/POST {2}201 {2}3\.0ms {2}req_1 {2}\/v1\/events$/),
      expect.stringMatching(
        /503 {2}12ms {2}del_\w+ {2}#1 {2}order\.shipped {2}http:\/\/localhost:3000\/webhooks$/,
      ),
      'The state was replaced by a reset or a snapshot.',
    ]);
    expect(readFileSync(log.path, 'utf8')).not.toContain('\u001b');
  });

  it('the log ends with the error of the emulator', async () => {
    const log = createLog();
    const stream = (): LiveStream => ({
      ready: Promise.resolve(),
      async *[Symbol.asyncIterator]() {
        yield items[4] as never;
        throw new Error('the emulator was stopped');
      },
    });
    await log.follow({ stream }, signal);
    expect(log.lastLines.at(-1)).toBe('The log ends here: the emulator was stopped');
  });

  it('the end of the log has the last lines, oldest first, without control characters', () => {
    const log = createLog();
    for (const line of ['a', 'b\u001b[31m', 'c']) log.notes.note(line);
    expect(log.lastLines).toEqual(['a', expect.stringMatching(/^b[^\u001b]*$/), 'c']);
  });

  it('a note is dropped if the log cannot be written any more', () => {
    const log = createLog();
    rmSync(dirname(log.path), { recursive: true });
    expect(log.notes.note('lost')).toBeUndefined();
  });

  it('the log has no colors, links or limit of width', () => {
    expect(createLog().notes.noteCapabilities).toEqual({
      ...{ width: Number.POSITIVE_INFINITY, color: false, unicode: true },
    });
  });
});
