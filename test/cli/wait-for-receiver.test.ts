import { describe, expect, it } from 'vitest';
import { couldBeListening, waitForReceiver } from '../../src/cli/wait-for-receiver.ts';
import { findFreePort } from '../support/local-server.ts';
import { createReceiver } from '../support/test-receiver.ts';
import { createFakeHost } from './fake-context.ts';

describe('waitForReceiver', () => {
  it('a receiver that listens causes no warning', async () => {
    await using receiver = await createReceiver();
    const { host, capturedOutput } = createFakeHost();
    await waitForReceiver(receiver.url, host);
    expect(capturedOutput).toEqual({ out: '', err: '' });
  });

  it('a missing receiver is reported, and a second note follows when it listens', async () => {
    const port = await findFreePort();
    const { host, capturedOutput } = createFakeHost();
    const url = `http://127.0.0.1:${port}/hooks`;
    const watched = waitForReceiver(url, host);
    await expect.poll(() => capturedOutput.err).toContain(`warning: Nothing is listening at ${url} yet.`);
    await using _ = await createReceiver({}, { port });
    await watched;
    expect(capturedOutput.err).toContain(`\n${url} is listening now.`);
    expect(capturedOutput.out).toBe('');
  });

  it('the watch ends with the emulator', async () => {
    const end = new AbortController();
    const { host, capturedOutput } = createFakeHost({ signal: end.signal });
    const watched = waitForReceiver(`http://127.0.0.1:${await findFreePort()}`, host);
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
