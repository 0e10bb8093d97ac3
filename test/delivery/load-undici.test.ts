import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as undici from 'undici';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createRawReceiver } from '../support/raw-receiver.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createTestWallClock } from '../support/test-wall-clock.ts';
import { createPostRequest, limits } from './sender-setup.ts';

/** A sender that requires its HTTP client from a file, as in a build. */
async function createLoadingSender(file: string, wall = createTestWallClock()) {
  vi.stubGlobal('__SVC_UNDICI__', file);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { createSender } = await import('../../src/delivery/sender.ts');
  const sender = createSender({ rule: 'local', wall, limits });
  onTestFinished(() => sender.close());
  return sender;
}

function writeModule(code: string): string {
  const file = join(createTemporaryFolder(), 'client.cjs');
  writeFileSync(file, code);
  return file;
}

const missing = () => './no-such-file.cjs';
const failing = () => writeModule(`throw Object.assign(new Error('no'), { code: 'EMFILE' });`);

// Each test loads the HTTP client again.
beforeEach(() => void vi.resetModules());

const url = 'http://127.0.0.1:9/';

it.each([
  ['send', missing, 'A file of svc is missing, so no request can be sent.'],
  ['connect', missing, 'A file of svc is missing, so no request can be sent.'],
  ['send', failing, 'The process has no free file descriptor, so no request can be sent.'],
  ['connect', failing, 'The process has no free file descriptor, so no request can be sent.'],
] as const)(
  '%s throws an internal error if the HTTP client cannot be loaded',
  async (name, createFile, message) => {
    const sender = await createLoadingSender(createFile());
    const call = name === 'send' ? sender.send(createPostRequest(url)) : sender.connect({ url });
    await expect(call).rejects.toMatchObject({ code: 'internal_error', message });
  },
);

it('the time to connect does not include the time to load the HTTP client', async () => {
  const receiver = await createRawReceiver(() => {});
  onTestFinished(() => receiver.close());
  const wall = createTestWallClock();
  vi.stubGlobal('loadSlowly', () => {
    wall.advance(5_000);
    return undici;
  });
  const sender = await createLoadingSender(writeModule('module.exports = loadSlowly;'), wall);
  expect(await sender.connect({ url: receiver.url })).toMatchObject({ outcome: 'connected', durationMs: 0 });
});
