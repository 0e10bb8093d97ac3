import { describe, expect, it } from 'vitest';
import { couldBeListening, waitForReceiver } from '../../src/cli/wait-for-receiver.ts';
import type { Delivery } from '../../src/contract/delivery-schemas.ts';
import { findFreePort } from '../support/local-server.ts';
import { createReceiver } from '../support/test-receiver.ts';
import { aDelivery, createFakeHost, pageOf } from './fake-context.ts';

const failNothing = { listDeliveries: async () => pageOf<Delivery>() };

describe('waitForReceiver', () => {
  it('a receiver that listens causes no warning', async () => {
    await using receiver = await createReceiver();
    const { host, capturedOutput } = createFakeHost();
    await waitForReceiver(receiver.url, failNothing, host);
    expect(capturedOutput).toEqual({ out: '', err: '' });
  });

  it.each([
    ['no delivery to it has failed', 'http://127.0.0.1:1/other', ''],
    [
      'a delivery to it has failed, with how to send it',
      null,
      'hint: Send the pending retry now with: svc clock next\n',
    ],
  ])(
    'a missing receiver is reported, and a second note follows when it listens and %s',
    async (_, failingUrl, hint) => {
      const port = await findFreePort();
      const { host, capturedOutput } = createFakeHost();
      const url = `http://127.0.0.1:${port}/hooks`;
      const control = {
        listDeliveries: async ({ status }: { status?: unknown }) =>
          pageOf(...(status === 'failing' ? [aDelivery({ url: failingUrl ?? url })] : [])),
      };
      const watched = waitForReceiver(url, control, host);
      await expect.poll(() => capturedOutput.err).toContain(`warning: Nothing is listening at ${url} yet.`);
      await using _receiver = await createReceiver({}, { port });
      await watched;
      expect(capturedOutput.err.split('yet.\n')[1]).toBe(
        `hint: Start your receiver. Deliveries that fail until then are retried.\n${url} is listening now.\n${hint}`,
      );
      expect(capturedOutput.out).toBe('');
    },
  );

  it('the watch ends with the emulator', async () => {
    const end = new AbortController();
    const { host, capturedOutput } = createFakeHost({ signal: end.signal });
    const watched = waitForReceiver(`http://127.0.0.1:${await findFreePort()}`, failNothing, host);
    await expect.poll(() => capturedOutput.err).toContain('Nothing is listening');
    end.abort();
    await watched;
    expect(capturedOutput.err).not.toContain('Something listens');
  });

  it('a missing receiver is found for every form of address', async () => {
    expect(await couldBeListening('http://nowhere.localhost:1')).toBe(false);
    expect(await couldBeListening('http://[::ffff:127.0.0.1]:1')).toBe(false);
  });
});
