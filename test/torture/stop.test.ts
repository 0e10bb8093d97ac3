import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createRandomSource } from '../../src/domain/secret.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createReceiver, type ReceiverResponses } from '../support/test-receiver.ts';
import { audit } from './audit.ts';
import { Load, settle, subscribe } from './load.ts';
import { databaseIn, startSvc, waitUntilReady } from './svc-process.ts';

/** Starts an emulator under load. `drain` finishes the work with a second emulator and returns its audit. */
async function startWork(script: ReceiverResponses) {
  const folder = createTemporaryFolder();
  const receiver = await createReceiver(script);
  const svc = startSvc({ folder });
  const ready = await waitUntilReady(svc);
  await subscribe(ready, receiver);
  const load = new Load(createRandomSource(4).next);
  const clients = load.run(ready);
  await receiver.waitFor(1);
  return {
    svc,
    load,
    clients,
    receiver,
    drain: async () => {
      receiver.respond({});
      await using restarted = startSvc({ folder });
      const resumed = await waitUntilReady(restarted);
      await load.finish(resumed);
      await settle(resumed);
      const { code } = await restarted.end('SIGTERM');
      const evidence = {
        database: databaseIn(folder),
        creations: load.creations,
        requests: receiver.requests,
      };
      return { code, ...audit(evidence) };
    },
    async [Symbol.asyncDispose]() {
      await svc[Symbol.asyncDispose]();
      await receiver.close();
    },
  };
}

describe('SIGTERM during work', () => {
  it('attempts in flight end after SIGTERM, and nothing is sent twice', async () => {
    await using work = await startWork(() => ({ after: wait(300) }));
    const end = await work.svc.end('SIGTERM');
    await work.clients;
    expect(end).toEqual({ code: 0, signal: null, stderr: '' });
    expect(await work.drain()).toMatchObject({ code: 0, breaches: [], repeated: 0 });
  });

  it('a stop waits at most five seconds for a receiver that does not respond, and its deliveries continue after a restart', async () => {
    await using work = await startWork({ after: new Promise(() => {}) });
    const startedAt = performance.now();
    const end = await work.svc.end('SIGTERM');
    const tookMs = performance.now() - startedAt;
    await work.clients;
    expect(end).toEqual({ code: 0, signal: null, stderr: '' });
    expect(tookMs).toBeGreaterThan(4_500);
    expect(tookMs).toBeLessThan(12_000);
    const { repeated, ...rest } = await work.drain();
    expect(rest).toMatchObject({ code: 0, breaches: [] });
    expect(repeated).toBeGreaterThan(0);
  });

  it('a second SIGTERM ends the emulator at once and loses nothing', async () => {
    await using work = await startWork({ after: new Promise(() => {}) });
    const first = work.svc.end('SIGTERM');
    // The load ends when the emulator handles the first SIGTERM and closes its port.
    await work.clients;
    await work.svc.end('SIGTERM');
    // The exit code is 0 if the emulator waits for the receiver.
    expect(await first).toEqual({ code: 130, signal: null, stderr: '' });
    expect(await work.drain()).toMatchObject({ code: 0, breaches: [] });
  });
});
