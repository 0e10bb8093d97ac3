import { getEventListeners } from 'node:events';
import { connect, type Socket } from 'node:net';
import { H3Event } from 'h3';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ControlPlane } from '../../src/contract/control-plane.ts';
import { MAX_LAG, sseResponse } from '../../src/http/sse-response.ts';
import { AttemptTable } from '../../src/store/attempts.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { createReceiver } from '../support/test-receiver.ts';

afterEach(() => vi.restoreAllMocks());

/** A store whose newest sequence a test sets. */
function createStore() {
  const followers = new Set<() => void>();
  return {
    ...{ id: 'store', lastSeq: 1, followers },
    subscribe(follower: () => void) {
      followers.add(follower);
      return () => followers.delete(follower);
    },
    commit(this: { lastSeq: number }, seq: number) {
      this.lastSeq = seq;
      for (const follower of followers) follower();
    },
  };
}

/** The stream of one client, with `count` items in it, and then `error` if it is not null. */
function open(
  store: ReturnType<typeof createStore>,
  count: number,
  error: Error | null = null,
  connection: object = {},
) {
  let isEnded = false;
  async function* items(signal?: AbortSignal) {
    for (let sequence = 2; sequence < 2 + count; sequence++) yield { sequence };
    if (error !== null) throw error;
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    isEnded = true;
  }
  const control = {
    stream: (_: unknown, signal?: AbortSignal) => ({
      ready: Promise.resolve(),
      ...toIterable(items(signal)),
    }),
  } as unknown as ControlPlane;
  const event = new H3Event(Object.assign(new Request('http://localhost/_svc/stream'), connection));
  const closing = new AbortController().signal;
  const response = sseResponse(event, { control, store, closing }, 'req_1');
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const read = async () => new TextDecoder().decode((await reader.read()).value);
  return { read, isEnded: () => isEnded, closing };
}

function toIterable<Item>(items: AsyncGenerator<Item>) {
  return { [Symbol.asyncIterator]: () => items };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a client of the live stream', () => {
  it('a client that does not read is disconnected when it is too far behind', async () => {
    const store = createStore();
    const client = open(store, 5);
    await turn();
    store.commit(1 + MAX_LAG);
    expect(await client.read()).toContain('event: ready');
    expect(await client.read()).toContain('id: 2\n');
    await turn();
    store.commit(2 + 3 * MAX_LAG);
    await expect(client.read()).rejects.toThrow('does not read');
    expect(store.followers.size).toBe(0);
    expect(getEventListeners(client.closing, 'abort')).toEqual([]);
  });

  it('the connection of a client that is too far behind is destroyed, so that it resumes', async () => {
    const store = createStore();
    const destroy = vi.fn();
    open(store, 0, null, { runtime: { node: { res: { destroy } } } });
    await turn();
    store.commit(1 + MAX_LAG);
    expect(destroy).not.toHaveBeenCalled();
    store.commit(2 + MAX_LAG);
    expect(destroy).toHaveBeenCalledOnce();
  });

  it('a client stays connected while many changes do not match its filter', async () => {
    const store = createStore();
    const client = open(store, 0);
    expect(await client.read()).toContain('event: ready');
    await turn();
    for (let step = 1; step <= 5; step++) store.commit(step * 2 * MAX_LAG);
    expect(client.isEnded()).toBe(false);
    expect(store.followers.size).toBe(1);
  });

  it('a client whose changes cannot be read is disconnected, and no longer follows the store', async () => {
    const store = createStore();
    const client = open(store, 1, new Error('the disk failed'));
    expect(await client.read()).toContain('event: ready');
    expect(await client.read()).toContain('id: 2\n');
    await expect(client.read()).rejects.toThrow('the disk failed');
    expect(store.followers.size).toBe(0);
  });

  it('all clients share one read of each change', async () => {
    await using receiver = await createReceiver();
    await using emulator = await startTestEmulator();
    const { workspace_id, control_url, url } = emulator.status();
    await emulator.api('POST', '/webhooks', { workspace_id, url: receiver.url, events: ['*'] });
    const { port, pathname } = new URL(control_url);
    const sockets: Socket[] = [];
    const clients = Array.from({ length: 120 }, async () => {
      const socket = connect(Number(port), '127.0.0.1');
      sockets.push(socket);
      socket.write(`GET ${pathname}/stream?types=attempt HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`);
      let text = '';
      const until = async (part: string) => {
        while (!text.includes(part))
          await new Promise((resolve) => socket.once('readable', resolve).once('data', resolve));
      };
      socket.on('data', (chunk) => {
        text += chunk;
      });
      await until('event: ready');
      return () => until('"type":"attempt"');
    });
    const received = await Promise.all(clients);
    const reads = vi.spyOn(AttemptTable.prototype, 'findBySeq');
    await emulator.api('POST', '/events', { type: 'order.shipped' });
    await Promise.all(received.map((wait) => wait()));
    for (const socket of sockets) socket.destroy();
    // One read, and another one for clients that a later commit woke.
    expect(reads.mock.calls.length).toBeLessThan(10);
  });
});
