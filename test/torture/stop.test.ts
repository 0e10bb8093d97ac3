import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createRandomSource } from '../../src/domain/random-source.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { type Answers, createReceiver } from '../support/test-receiver.ts';
import { audit } from './audit.ts';
import { Load, settle, subscribe } from './load.ts';
import { databaseIn, getReady, startSvc } from './svc-process.ts';

/** An emulator at work for a receiver; `drain` lets another one end the work, and says what got lost. */
async function startWork(script: Answers) {
  const folder = createTemporaryFolder();
  const receiver = await createReceiver(script);
  const svc = startSvc({ folder });
  const ready = await getReady(svc);
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
      await using again = startSvc({ folder });
      const resumed = await getReady(again);
      await load.finish(resumed);
      await settle(resumed);
      const { code } = await again.end('SIGTERM');
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

describe('SIGTERM while clients and receivers are at work', () => {
  it('lets attempts under way end, and nothing is sent twice', async () => {
    await using work = await startWork(() => ({ after: wait(300) }));
    const end = await work.svc.end('SIGTERM');
    await work.clients;
    expect(end).toEqual({ code: 0, signal: null, stderr: '' });
    expect(await work.drain()).toMatchObject({ code: 0, breaches: [], repeated: 0 });
  });

  it('waits five seconds at most for a receiver that does not answer; its deliveries go on after a restart', async () => {
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

  it('twice ends at once, and loses nothing', async () => {
    await using work = await startWork({ after: new Promise(() => {}) });
    const startedAt = performance.now();
    const first = work.svc.end('SIGTERM');
    // Until it has heard the first: then it takes no new connections.
    await work.clients;
    await work.svc.end('SIGTERM');
    expect(await first).toEqual({ code: 130, signal: null, stderr: '' });
    expect(performance.now() - startedAt).toBeLessThan(4_500);
    expect(await work.drain()).toMatchObject({ code: 0, breaches: [] });
  });
});
