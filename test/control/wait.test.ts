import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../src/contract/delivery-schemas.ts';
import type { StreamInput } from '../../src/contract/stream-schemas.ts';
import type { ControlPlane, LiveStream } from '../../src/control/control-plane.ts';
import {
  type TrackResult,
  trackDeliveries,
  type WaitOptions,
  type WaitTarget,
} from '../../src/control/wait.ts';
import { SvcError } from '../../src/errors.ts';
import { aDelivery, clockAt, NOW, streamOf } from '../cli/fake-context.ts';

const A_MINUTE = 60_000;
const pending = aDelivery({ id: 'del_1', next_attempt_at: new Date(NOW).toISOString() });
/** Its next attempt is due in five minutes. */
const retrying = aDelivery({ id: 'del_1' });
const succeeded = aDelivery({ id: 'del_1', status: 'succeeded' });
const other = aDelivery({ id: 'del_2', status: 'failed' });

interface WaitSetup extends Partial<WaitOptions> {
  readonly listed?: readonly Delivery[];
  readonly streamed?: readonly Delivery[];
  readonly stream?: (input: StreamInput, signal: AbortSignal) => LiveStream;
  readonly getClock?: ControlPlane['getClock'];
}

async function wait(setup: WaitSetup, changes: Partial<WaitTarget> = {}): Promise<Delivery[]> {
  return (await track(setup, changes)).deliveries;
}

async function track(setup: WaitSetup, changes: Partial<WaitTarget> = {}): Promise<TrackResult> {
  const { listed = [], streamed = [], signal = new AbortController().signal } = setup;
  const { timeoutMs = A_MINUTE, getClock = clockAt().getClock } = setup;
  const stream =
    setup.stream ?? (() => streamOf(streamed.map((delivery) => ({ type: 'attempt', delivery }))));
  const awaited = { filter: {}, list: async () => listed, ...changes };
  return trackDeliveries({ stream, getClock }, awaited, { ...setup, signal, timeoutMs });
}

/** Tells nothing until the signal is aborted. */
function silence(_input: StreamInput, signal: AbortSignal): LiveStream {
  return {
    ready: Promise.resolve(),
    async *[Symbol.asyncIterator]() {
      if (!signal.aborted) await once(signal, 'abort');
      yield* [];
    },
  };
}

/** Reports the deliveries and other items, and then nothing until the signal is aborted. */
function streamThenSilence(items: readonly (Delivery | { readonly type: 'webhook' })[]) {
  return (input: StreamInput, signal: AbortSignal): LiveStream => ({
    ready: Promise.resolve(),
    async *[Symbol.asyncIterator]() {
      for (const item of items) yield ('type' in item ? item : { type: 'attempt', delivery: item }) as never;
      yield* silence(input, signal);
    },
  });
}

describe('waiting for deliveries', () => {
  it('a wait requests only the needed items of the stream', async () => {
    const streamInputs: StreamInput[] = [];
    const stream = (input: StreamInput) => {
      streamInputs.push(input);
      return streamOf([]);
    };
    await wait({ stream }, { filter: { event_id: 'evt_1' } });
    expect(streamInputs).toEqual([{ event_id: 'evt_1', types: 'delivery,attempt,webhook' }]);
  });

  it('a wait reads the list when the stream is ready, so that it misses no change', async () => {
    const order: string[] = [];
    const stream = () => ({ ...streamOf([]), ready: Promise.resolve().then(() => void order.push('ready')) });
    const list = async () => {
      order.push('list');
      return [];
    };
    await wait({ stream }, { list });
    expect(order).toEqual(['ready', 'list']);
  });

  it('a wait ends after the list if no delivery is waiting', async () => {
    await expect(wait({ listed: [succeeded], stream: silence })).resolves.toEqual([succeeded]);
  });

  it('a wait ends when the last delivery of the list has settled, and ignores others', async () => {
    const streamed = [other, pending, succeeded, { ...succeeded, attempt_count: 9 }];
    await expect(wait({ listed: [pending], streamed })).resolves.toEqual([succeeded]);
  });

  it('a wait counts later deliveries if it includes them', async () => {
    const isDone = ({ matched }: { matched: number }) => matched === 2;
    const streamed = [succeeded, other, aDelivery({ id: 'del_3', status: 'failed' })];
    await expect(wait({ streamed }, { includes: () => true, isDone })).resolves.toEqual([succeeded, other]);
  });

  it('a wait closes the stream at its end', async () => {
    const signals: AbortSignal[] = [];
    const stream = (_input: StreamInput, signal: AbortSignal) => {
      signals.push(signal);
      return streamOf([{ type: 'attempt', delivery: succeeded }]);
    };
    await wait({ listed: [pending], stream });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('a wait returns the latest deliveries after the timeout', async () => {
    await expect(wait({ listed: [pending], stream: silence, timeoutMs: 1 })).resolves.toEqual([pending]);
  });

  it('a wait ends immediately when all waiting deliveries are paused, in the list or in the stream', async () => {
    const paused = { ...pending, paused: true };
    await expect(wait({ listed: [paused, other], stream: silence })).resolves.toEqual([paused, other]);
    const waiting = { ...pending, id: other.id };
    const streamed = [paused, waiting, other] as const;
    const listed = [pending, waiting];
    await expect(wait({ listed, stream: streamThenSilence(streamed) })).resolves.toEqual([paused, other]);
  });

  it('a wait continues while another delivery is waiting besides a paused one', async () => {
    const listed = [
      { ...pending, paused: true },
      { ...pending, id: other.id },
    ];
    await expect(wait({ listed, streamed: [succeeded, other] })).resolves.toEqual([succeeded, other]);
  });

  it('a wait reads the list again when the stream reports that an endpoint was changed', async () => {
    const pages = [pending, { ...pending, paused: true }];
    const list = async () => pages.splice(0, 1);
    const stream = streamThenSilence([{ type: 'webhook' }]);
    await expect(wait({ stream }, { list })).resolves.toMatchObject([{ paused: true }]);
  });

  it('a wait ends immediately when it is interrupted', async () => {
    const interruption = new AbortController();
    const waiting = wait({ listed: [pending], stream: silence, signal: interruption.signal });
    interruption.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
  });
});

describe('the end of a wait in which nothing can change', () => {
  const clock = async (changes: object) => ({ ...(await clockAt().getClock({})), ...changes });
  const inTime = { ...retrying, next_attempt_at: new Date(NOW + A_MINUTE / 2).toISOString() };

  it.each([
    ['the next attempt is due after the timeout', retrying, {}],
    ['the clock is frozen', inTime, { rate: 0 }],
    ['the clock is too slow', inTime, { rate: 0.25 }],
    ['the endpoint is disabled', { ...pending, paused: true, next_attempt_at: null }, {}],
  ])('a wait ends immediately when %s', async (_, delivery, changes) => {
    const setup = { listed: [delivery, other], stream: silence, getClock: () => clock(changes) };
    await expect(track(setup)).resolves.toEqual({ deliveries: [delivery, other], isStalled: true });
    await expect(track({ ...setup, timeoutMs: 0 })).resolves.toMatchObject({ isStalled: true });
  });

  it.each([
    ['an attempt is due before the timeout', inTime, {}],
    ['the clock is fast enough', retrying, { rate: 10 }],
    ['an attempt is in flight although the clock is frozen', pending, { rate: 0 }],
    ['a request moves the clock', retrying, { rate: 0, moving: { attempts: 0, canceled: false } }],
  ])('a wait continues when %s', async (_, delivery, changes) => {
    const released = new AbortController();
    let clockReads = 0;
    const getClock = () => {
      if (++clockReads === 3) released.abort();
      return clock(changes);
    };
    const stream = () => ({
      ready: Promise.resolve(),
      async *[Symbol.asyncIterator]() {
        if (!released.signal.aborted) await once(released.signal, 'abort');
        yield { type: 'attempt', sequence: 1, delivery: succeeded } as never;
      },
    });
    await expect(track({ listed: [delivery], stream, getClock })).resolves.toEqual({
      ...{ deliveries: [succeeded], isStalled: false },
    });
  });

  it('a wait ends when a move of the clock has ended without an attempt', async () => {
    const states = [{ moving: { attempts: 0, canceled: false } }, {}];
    const getClock = () => clock({ rate: 0, ...states.shift() });
    await expect(track({ listed: [retrying], stream: silence, getClock })).resolves.toMatchObject({
      isStalled: true,
    });
  });

  it('a wait ends when the attempt that was in flight is followed by a retry after the timeout', async () => {
    const stream = streamThenSilence([retrying]);
    await expect(track({ listed: [pending], stream })).resolves.toEqual({
      ...{ deliveries: [retrying], isStalled: true },
    });
  });

  it('a wait continues while no clock can be read, for example after a reset', async () => {
    let reads = 0;
    const getClock = async () => {
      if (++reads < 3) throw new SvcError('not_found', 'The workspace does not exist.');
      return clock({});
    };
    await expect(track({ listed: [retrying], stream: silence, getClock })).resolves.toMatchObject({
      isStalled: true,
    });
    expect(reads).toBe(3);
  });

  it('a wait with keepWaiting ends after the timeout, and reads no clock', async () => {
    const getClock = () => expect.unreachable('The clock was read.');
    const setup = { listed: [retrying], stream: silence, getClock, keepWaiting: true, timeoutMs: 10 };
    await expect(track(setup)).resolves.toEqual({ deliveries: [retrying], isStalled: false });
  });

  it('a wait with stalledChecks continues until that many checks in a row find nothing that can change', async () => {
    let reads = 0;
    const getClock = () => clock({ rate: ++reads === 2 ? 10 : 1 });
    const result = track({ listed: [retrying], stream: silence, getClock, stalledChecks: 2 });
    await expect(result).resolves.toMatchObject({ isStalled: true });
    // The first one does not count, because the second one found that an attempt is due in time.
    expect(reads).toBe(4);
  });
});
