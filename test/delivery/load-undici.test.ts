import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createRawReceiver } from '../support/raw-receiver.ts';
import { createTestWallClock } from '../support/test-wall-clock.ts';
import { limits } from './sender-setup.ts';

// Each test loads the HTTP client again.
beforeEach(() => void vi.resetModules());

it.each([
  ['MODULE_NOT_FOUND', 'A file of svc is missing, so no request can be sent.'],
  ['EMFILE', 'The process has no free file descriptor, so no request can be sent.'],
] as const)(
  'loading the HTTP client fails with an internal error for %s, and can succeed later',
  async (code, message) => {
    const { getUndici, loadUndici } = await import('../../src/delivery/connector.ts');
    const failed = loadUndici(async () => {
      throw Object.assign(new Error('no'), { code });
    });
    await expect(failed).rejects.toMatchObject({ code: 'internal_error', message });
    await loadUndici();
    expect(getUndici().Pool).toBeInstanceOf(Function);
  },
);

it('the error of Jest, which loads no more modules after a test file, says that the emulator was not closed', async () => {
  const { loadUndici } = await import('../../src/delivery/connector.ts');
  const error = new TypeError("Cannot read properties of undefined (reading 'Pool')");
  const load = () => loadUndici(() => Promise.reject(error));
  vi.stubEnv('JEST_WORKER_ID', undefined);
  await expect(load()).rejects.toBe(error);
  vi.stubEnv('JEST_WORKER_ID', '1');
  await expect(load()).rejects.toMatchObject({
    message:
      'The test ended before the emulator was closed. Await createEmulator(), and close() in afterAll.',
    cause: error,
  });
});

it('the time to connect does not include the time to load the HTTP client', async () => {
  const receiver = await createRawReceiver(() => {});
  onTestFinished(() => receiver.close());
  const wall = createTestWallClock();
  vi.doMock('undici', async (importActual) => {
    wall.advance(5_000);
    return importActual();
  });
  const { createSender } = await import('../../src/delivery/sender.ts');
  const sender = createSender({ rule: 'local', wall, limits });
  onTestFinished(() => sender.close());
  expect(await sender.connect({ url: receiver.url })).toMatchObject({ outcome: 'connected', durationMs: 0 });
  expect(wall.monotonic()).toBe(5_000);
});
