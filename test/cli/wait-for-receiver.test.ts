import { describe, expect, it } from 'vitest';
import { couldBeListening, warnIfNotListening } from '../../src/cli/wait-for-receiver.ts';
import { findFreePort } from '../support/local-server.ts';
import { createReceiver } from '../support/test-receiver.ts';
import { createFakeHost } from './fake-context.ts';

describe('warnIfNotListening', () => {
  it('a receiver that listens causes no warning', async () => {
    await using receiver = await createReceiver();
    const { host, capturedOutput } = createFakeHost();
    await warnIfNotListening(receiver.url, host.io);
    expect(capturedOutput).toEqual({ out: '', err: '' });
  });

  it('a missing receiver is reported', async () => {
    const { host, capturedOutput } = createFakeHost();
    const url = `http://127.0.0.1:${await findFreePort()}/hooks`;
    await warnIfNotListening(url, host.io);
    expect(capturedOutput).toEqual({
      out: '',
      err: `warning: Nothing is listening at ${url} yet.\nhint: Start your receiver. Deliveries that fail until then are retried.\n`,
    });
  });

  it('a missing receiver is found for every form of address', async () => {
    expect(await couldBeListening('http://nowhere.localhost:1')).toBe(false);
    expect(await couldBeListening('http://[::ffff:127.0.0.1]:1')).toBe(false);
  });
});
