import * as undici from 'undici';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createRawReceiver } from '../support/raw-receiver.ts';
import { createTestWallClock } from '../support/test-wall-clock.ts';
import { createPostRequest, limits } from './sender-setup.ts';

/** A sender that loads its HTTP client with `load`, as a build does. */
async function createLoadingSender(load: () => unknown, wall = createTestWallClock()) {
  vi.stubGlobal('__SVC_UNDICI__', './no-such-file.cjs');
  vi.stubGlobal('__SVC_REQUIRE__', load);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { createSender } = await import('../../src/delivery/sender.ts');
  const sender = createSender({ rule: 'local', wall, limits });
  onTestFinished(() => sender.close());
  return sender;
}

// Each test loads the HTTP client again.
beforeEach(() => void vi.resetModules());

const url = 'http://127.0.0.1:9/';

it.each([
  ['send', 'MODULE_NOT_FOUND', 'A file of svc is missing, so no request can be sent.'],
  ['connect', 'MODULE_NOT_FOUND', 'A file of svc is missing, so no request can be sent.'],
  ['send', 'EMFILE', 'The process has no free file descriptor, so no request can be sent.'],
  ['connect', 'EMFILE', 'The process has no free file descriptor, so no request can be sent.'],
] as const)(
  '%s throws an internal error if the HTTP client cannot be loaded (%s)',
  async (name, code, message) => {
    const sender = await createLoadingSender(() => {
      throw Object.assign(new Error('no'), { code });
    });
    const call = name === 'send' ? sender.send(createPostRequest(url)) : sender.connect({ url });
    await expect(call).rejects.toMatchObject({ code: 'internal_error', message });
  },
);

it('the time to connect does not include the time to load the HTTP client', async () => {
  const receiver = await createRawReceiver(() => {});
  onTestFinished(() => receiver.close());
  const wall = createTestWallClock();
  const sender = await createLoadingSender(() => {
    wall.advance(5_000);
    return () => undici;
  }, wall);
  expect(await sender.connect({ url: receiver.url })).toMatchObject({ outcome: 'connected', durationMs: 0 });
});
