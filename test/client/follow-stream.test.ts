import { describe, expect, it, vi } from 'vitest';
import { followStream } from '../../src/client/follow-stream.ts';
import { SvcError } from '../../src/domain/errors.ts';

const pauses = vi.hoisted(() => [] as number[]);
vi.mock('../../src/platform/timers.ts', async (importOriginal) => ({
  ...(await importOriginal<typeof import('../../src/platform/timers.ts')>()),
  sleep: async (ms: number) => {
    await new Promise((resolve) => setImmediate(resolve));
    pauses.push(ms);
  },
}));

/** Small, so that a test can exceed it. */
const LIMIT = vi.hoisted(() => 1_000);
vi.mock('../../src/client/parse-response.ts', async (importOriginal) => ({
  ...(await importOriginal<typeof import('../../src/client/parse-response.ts')>()),
  RESPONSE_LIMIT_BYTES: LIMIT,
}));

const ready = (sequence: number, store = 'store_1') =>
  `event: ready\ndata: ${JSON.stringify({ store, sequence })}\n\n`;
const item = (sequence: number) => `data: ${JSON.stringify({ type: 'reset', sequence })}\n\n`;
const lost = new SvcError('no_emulator', 'No emulator is reachable.');

/** Follows a stream with the texts, or the error, of one connection after the other. It is aborted after the last one. */
async function follow(
  connections: readonly (string | readonly string[] | SvcError)[],
  after?: number,
  startsInPast = false,
) {
  pauses.length = 0;
  const log: string[] = [];
  const starts: (number | undefined)[] = [];
  const abort = new AbortController();
  const signals: AbortSignal[] = [];
  const rest = [...connections];
  const stream = followStream({
    ...{
      address: 'http://127.0.0.1:4777/_svc/stream',
      after,
      startsInPast,
      signal: abort.signal,
    },
    connect: async (from, signal) => {
      const connection = rest.shift();
      signals.push(signal);
      if (connection === undefined) {
        abort.abort();
        throw lost;
      }
      starts.push(from);
      if (connection instanceof SvcError) throw connection;
      return (async function* () {
        yield* [connection].flat();
      })();
    },
    onDisconnect: () => log.push('lost'),
    onReconnect: () => log.push('connected again'),
    onReady: ({ store, newest }) => log.push(`${store} ${newest}`),
  });
  const sequences: number[] = [];
  let error: unknown = null;
  try {
    for await (const { sequence } of stream) sequences.push(sequence);
  } catch (thrown) {
    error = thrown;
  }
  return { sequences, starts, log, error, pauses: [...pauses], signals };
}

describe('followStream', () => {
  it('a stream continues after its last item when the connection is lost, and yields each item once', async () => {
    const connections = [
      ready(5) + item(6) + item(7),
      ready(8) + item(7) + item(8) + item(8),
      ready(8) + item(9),
    ];
    expect(await follow(connections)).toMatchObject({
      sequences: [6, 7, 8, 9],
      starts: [undefined, 7, 8],
      error: null,
    });
  });

  it('a stream without an item continues after the position of its first connection', async () => {
    expect((await follow([ready(5), ready(6) + item(6)])).starts).toEqual([undefined, 5]);
    expect((await follow([ready(5), ready(6)], 3)).starts).toEqual([3, 3]);
    expect((await follow([ready(0), ready(0)], 0)).starts).toEqual([0, 0]);
  });

  it('a stream that starts in the past starts there again until it has received an item', async () => {
    const connections = [ready(5), ready(5) + item(2), ready(5)];
    expect((await follow(connections, undefined, true)).starts).toEqual([undefined, undefined, 2]);
  });

  it.each([
    ['of another store starts at its beginning', [ready(9), ready(9, 'store_2')], 7, [7, 7, 0]],
    ['of a store that is behind starts at its newest item', [ready(9), ready(4)], 7, [7, 7, 4]],
    ['of a store that is not behind continues', [ready(9), ready(7)], 7, [7, 7, 7]],
    ['to a store that is behind starts at its newest item', [ready(4)], 7, [7, 4]],
  ])('a connection %s', async (_, connections, after, starts) => {
    const next = ready(starts.at(-1) ?? 0, connections.at(-1)?.includes('store_2') ? 'store_2' : 'store_1');
    const followed = await follow([...connections, next], after);
    expect(followed).toMatchObject({ starts, error: null });
  });

  it('a connection that starts again after another sequence was not lost', async () => {
    const { log, pauses: waits } = await follow([ready(4), ready(4)], 7);
    expect(log).toEqual(['store_1 4', 'store_1 4', 'lost']);
    expect(waits).toEqual([50]);
  });

  it('a lost connection is opened again after pauses that double up to five seconds, and is reported once', async () => {
    const failures = Array.from({ length: 8 }, () => lost);
    const { pauses: waits, log } = await follow([ready(1), ...failures, ready(1), lost]);
    expect(waits).toEqual([50, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 50, 100]);
    expect(log).toEqual(['store_1 1', 'lost', 'connected again', 'store_1 1', 'lost']);
  });

  it.each([
    ['the first connection fails', [lost], 'No emulator is reachable.'],
    [
      'the server refuses a later connection',
      [ready(1), new SvcError('validation_failed', 'The token is invalid.')],
      'The token is invalid.',
    ],
    ['the stream ends without its first message', [''], 'the stream ended without its first message'],
    ['the first message has no position', [ready(Number.NaN)], 'sequence must be a number'],
  ])('a stream fails when %s', async (_, connections, message) => {
    const { error } = await follow(connections as (string | SvcError)[]);
    expect(error).toBeInstanceOf(SvcError);
    expect((error as SvcError).message).toContain(message);
  });

  it('a stream without its first message fails even after items, because it cannot be resumed', async () => {
    const { sequences, error } = await follow([item(2)]);
    expect(sequences).toEqual([2]);
    expect(error).toMatchObject({ code: 'no_emulator' });
  });

  it('a message can have the largest length, and a stream can be longer', async () => {
    const message = (length: number) => `data: ${' '.repeat(length - item(2).length)}${item(2).slice(6)}`;
    const longest = [message(LIMIT + 1).slice(0, -1), '\n'];
    const comment = ':'.padEnd(LIMIT, 'x');
    expect(await follow([[comment, `\n${ready(1)}`, ...longest, ...longest]])).toMatchObject({
      sequences: [2],
      error: null,
    });
    const { error } = await follow([[ready(1), message(LIMIT + 2).slice(0, -1), '\n']]);
    expect(error).toMatchObject({ message: expect.stringContaining('a message of the stream is too large') });
  });

  it('a comment of the server is not an item', async () => {
    expect(await follow([`${ready(1)}: still here\n\n${item(2)}`])).toMatchObject({
      sequences: [2],
      error: null,
    });
  });

  /** A stream whose connections send the text and then stay open until their signal is aborted. */
  function open(
    text: string,
    { onReady, abort = new AbortController() }: { onReady?: () => void; abort?: AbortController } = {},
  ) {
    const signals: AbortSignal[] = [];
    const stream = followStream({
      ...{ address: 'http://127.0.0.1:4777/_svc/stream', after: undefined, startsInPast: false },
      ...{ signal: abort.signal, onReady },
      connect: async (_, signal) => {
        signals.push(signal);
        return (async function* () {
          yield text;
          if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        })();
      },
    });
    return { stream, signals };
  }

  it('a stream is ready when it is connected, before its first item', async () => {
    const { stream, signals } = open(ready(1));
    await stream.ready;
    const iterator = stream[Symbol.asyncIterator]();
    const next = iterator.next();
    await iterator.return?.();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await next).toEqual({ value: undefined, done: true });
  });

  it('a stream that is aborted when it is ready yields no item', async () => {
    const abort = new AbortController();
    const { stream } = open(ready(1) + item(2), { abort, onReady: () => abort.abort() });
    const sequences = [];
    for await (const { sequence } of stream) sequences.push(sequence);
    expect(sequences).toEqual([]);
  });

  it('a stream that is aborted while it connects ends without an error', async () => {
    const abort = new AbortController();
    const stream = followStream({
      ...{ address: 'http://127.0.0.1:4777/_svc/stream', after: undefined, startsInPast: false },
      signal: abort.signal,
      connect: async () => {
        abort.abort();
        throw lost;
      },
    });
    for await (const _ of stream) expect.unreachable();
    await expect(stream.ready).resolves.toBeUndefined();
  });

  it('a stream continues after a connection that fails, and not after an item that is invalid', async () => {
    const failing = (async function* () {
      yield ready(1) + item(2);
      throw new Error('socket hang up');
    })();
    const starts: (number | undefined)[] = [];
    const connections: AsyncIterable<string>[] = [
      failing,
      (async function* () {
        yield `${ready(2)}${item(3)}data: {}\n\n`;
      })(),
    ];
    const stream = followStream({
      ...{ address: 'http://127.0.0.1:4777/_svc/stream', after: undefined, startsInPast: false },
      signal: new AbortController().signal,
      connect: async (from) => {
        starts.push(from);
        return connections[starts.length - 1] as AsyncIterable<string>;
      },
    });
    const sequences: number[] = [];
    const read = async () => {
      for await (const { sequence } of stream) sequences.push(sequence);
    };
    await expect(read()).rejects.toMatchObject({ code: 'no_emulator' });
    expect([starts, sequences]).toEqual([
      [undefined, 2],
      [2, 3],
    ]);
  });
});
