/** The messages of one client of the live stream, with fake timers and without an emulator. */
import { getEventListeners } from 'node:events';
import { H3Event } from 'h3';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { sseResponse } from '../../src/http/sse-response.ts';
import type { ControlPlane } from '../../src/operations/control-plane.ts';
import { useFakeTimers } from '../support/fake-timers.ts';

beforeEach(() => {
  useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

const HEARTBEAT_MS = 15_000;
const store = { id: 'store', lastSeq: 1 };

/** @param items the changes of the stream; it ends after them. */
function open(items: AsyncIterable<object>, headers: Record<string, string> = {}) {
  const control = { stream: vi.fn((_input: unknown, _signal?: AbortSignal) => items) };
  const event = new H3Event(new Request('http://localhost/_svc/stream?types=attempt', { headers }));
  const options = {
    ...{ control: control as unknown as ControlPlane, store },
    closing: new AbortController().signal,
  };
  /** Whether the client is forgotten. */
  const isForgotten = () =>
    Boolean(control.stream.mock.calls[0]?.[1]?.aborted) &&
    getEventListeners(options.closing, 'abort').length === 0;
  const response = sseResponse(event, options, 'req_1');
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const read = async () => {
    const { value, done } = await reader.read();
    return done ? null : new TextDecoder().decode(value);
  };
  return {
    ...{ read, isForgotten, cancel: () => reader.cancel() },
    input: () => control.stream.mock.calls[0]?.[0],
  };
}

describe('the live stream', () => {
  it('the stream sends a comment every 15 seconds without a change, and loses none', async () => {
    let resolve = () => {};
    const changed = new Promise<void>((settle) => {
      resolve = settle;
    });
    async function* changes() {
      await changed;
      yield { sequence: 2 };
      yield { sequence: 3 };
    }
    const { read, isForgotten } = open(changes());
    expect(await read()).toBe('event: ready\nid: 1\ndata: {"store":"store","sequence":1}\n\n');
    const comment = read();
    let hasComment = false;
    void comment.then(() => {
      hasComment = true;
    });
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS - 1);
    expect(hasComment).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await comment).toBe(': still here\n\n');
    const next = read();
    resolve();
    expect(await next).toBe('id: 2\ndata: {"sequence":2}\n\n');
    expect(await read()).toBe('id: 3\ndata: {"sequence":3}\n\n');
    expect(isForgotten()).toBe(false);
    expect(await read()).toBeNull();
    expect([vi.getTimerCount(), isForgotten()]).toEqual([0, true]);
  });

  it('the stream forgets a client whose changes cannot be read, and its timer ends', async () => {
    const { read, isForgotten } = open({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('the disk failed')) }),
    });
    expect(await read()).toContain('event: ready');
    await expect(read()).rejects.toThrow('the disk failed');
    expect([vi.getTimerCount(), isForgotten()]).toEqual([0, true]);
  });

  it('the stream reads no changes for a client that does not read [load.slow-clients]', async () => {
    let reads = 0;
    async function* changes() {
      for (;;) yield { sequence: ++reads };
    }
    const { read } = open(changes());
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    await read();
    await turn();
    expect(reads).toBe(0);
    await read();
    await turn();
    expect(reads).toBe(1);
  });

  it('the stream sends nothing to a client that left while it waited', async () => {
    let resolve = () => {};
    const changed = new Promise<void>((settle) => {
      resolve = settle;
    });
    async function* changes() {
      await changed;
      yield { sequence: 2 };
    }
    const { read, cancel, isForgotten } = open(changes());
    await read();
    await cancel();
    expect(isForgotten()).toBe(true);
    resolve();
    expect(await read()).toBeNull();
  });

  it('Last-Event-ID is a number of at most 15 digits, and overrides the query', () => {
    const openAt = (id: string) => open((async function* () {})(), { 'last-event-id': id });
    expect(openAt('1'.repeat(15)).input()).toEqual({ types: 'attempt', since_sequence: '1'.repeat(15) });
    for (const id of ['1'.repeat(16), '-1', 'x'.repeat(65)]) {
      const shown = JSON.stringify(id.slice(0, 64));
      expect(() => openAt(id)).toThrow(
        `Last-Event-ID must be the ID of a message of this stream, not ${shown}.`,
      );
    }
  });
});
