import { describe, expect, it, vi } from 'vitest';
import { createOriginPool } from '../../src/delivery/origin-pool.ts';
import { OutboundAgent } from '../../src/delivery/outbound-agent.ts';
import type { OutboundRequest } from '../../src/delivery/outbound-exchange.ts';
import { createGate, limits, wall } from './sender-setup.ts';

vi.mock('../../src/delivery/origin-pool.ts', () => ({ createOriginPool: vi.fn() }));

const target = { origin: 'http://a.test', insecureTls: false, usesNewConnection: false };

/** An agent with pools that record what happens to them, each as a list of origins. */
function createAgent(options: { maxOrigins?: number; connectionsPerOrigin?: number } = {}) {
  const log: string[] = [];
  const closing = createGate();
  const destroying = createGate();
  vi.mocked(createOriginPool).mockImplementation(({ host }, connections) => {
    log.push(`create ${host} ${connections}`);
    const pool = {
      dispatch: () => void log.push(`send ${host}`),
      close: () => {
        log.push(`close ${host}`);
        return closing.opened;
      },
      destroy: () => {
        log.push(`destroy ${host}`);
        return destroying.opened;
      },
    };
    return pool as never;
  });
  const agent = new OutboundAgent({ rule: 'local', wall, limits, ...options });
  const failures: unknown[] = [];
  const request = { exchange: { finish: (failure: unknown) => failures.push(failure) } };
  return {
    ...{ agent, closing, destroying, failures },
    /** What has happened since the last call. */
    takeLog: () => log.splice(0),
    send: (change: Partial<typeof target> = {}) =>
      agent.dispatch({ ...target, ...change }, request as unknown as OutboundRequest),
  };
}

describe('the pools of OutboundAgent', () => {
  it('requests share a pool if their origin and their check of certificates are equal', () => {
    const { send, takeLog } = createAgent();
    for (let i = 0; i < 2; i++) {
      send();
      send({ origin: 'http://b.test' });
      send({ insecureTls: true });
      send({ insecureTls: true });
    }
    expect(takeLog()).toEqual([
      ...['create a.test 64', 'send a.test', 'create b.test 64', 'send b.test'],
      ...['create a.test 64', 'send a.test', 'send a.test'],
      ...['send a.test', 'send b.test', 'send a.test', 'send a.test'],
    ]);
  });

  it('a request with a connection of its own uses a pool that closes after it', () => {
    const { send, takeLog } = createAgent({ connectionsPerOrigin: 2 });
    send();
    send({ usesNewConnection: true });
    send();
    expect(takeLog()).toEqual([
      ...['create a.test 2', 'send a.test'],
      ...['create a.test 2', 'send a.test', 'close a.test'],
      ...['send a.test'],
    ]);
  });

  it('beyond the maximum number of origins, the pool that was used least recently is closed once', () => {
    const { send, takeLog } = createAgent({ maxOrigins: 2 });
    for (const name of ['a', 'b', 'a']) send({ origin: `http://${name}.test` });
    takeLog();
    send({ origin: 'http://c.test' });
    expect(takeLog()).toEqual(['create c.test 64', 'close b.test', 'send c.test']);
    send({ origin: 'http://a.test' });
    expect(takeLog()).toEqual(['send a.test']);
    send({ origin: 'http://b.test' });
    expect(takeLog()).toEqual(['create b.test 64', 'close c.test', 'send b.test']);
  });

  it('by default, 256 origins have open connections', () => {
    const { send, takeLog } = createAgent();
    for (let i = 0; i < 256; i++) send({ origin: `http://${i}.test` });
    expect(takeLog().filter((line) => line.startsWith('close'))).toEqual([]);
    send();
    expect(takeLog()).toContain('close 0.test');
  });

  it('close ends all connections at once, including those of pools that are closing, and stops later requests', async () => {
    const { agent, send, takeLog, closing, destroying, failures } = createAgent();
    send();
    send({ origin: 'http://b.test', usesNewConnection: true });
    takeLog();
    let isClosed = false;
    const closed = agent.close().then(() => {
      isClosed = true;
    });
    expect(takeLog()).toEqual(['destroy a.test', 'destroy b.test']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).toBe(false);
    destroying.open();
    await closed;
    send();
    expect([takeLog(), failures]).toEqual([[], ['stopped']]);
    closing.open();
  });

  it('close does not end pools again that have closed', async () => {
    const { agent, send, takeLog, closing, destroying } = createAgent();
    closing.open();
    destroying.open();
    send({ usesNewConnection: true });
    await new Promise((resolve) => setImmediate(resolve));
    takeLog();
    await agent.close();
    expect(takeLog()).toEqual([]);
  });
});
