import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../src/contract/delivery-schemas.ts';
import type { StreamInput } from '../../src/contract/stream-schemas.ts';
import type { LiveStream } from '../../src/control/control-plane.ts';
import { trackDeliveries, type WaitTarget } from '../../src/control/wait.ts';
import { aDelivery, streamOf } from '../cli/fake-context.ts';

const A_MINUTE = 60_000;
const pending = aDelivery({ id: 'del_1' });
const succeeded = aDelivery({ id: 'del_1', status: 'succeeded' });
const other = aDelivery({ id: 'del_2', status: 'failed' });

interface WaitSetup {
  readonly listed?: readonly Delivery[];
  readonly streamed?: readonly Delivery[];
  readonly stream?: (input: StreamInput, signal: AbortSignal) => LiveStream;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

async function wait(setup: WaitSetup, changes: Partial<WaitTarget> = {}): Promise<Delivery[]> {
  const { listed = [], streamed = [], signal = new AbortController().signal, timeoutMs = A_MINUTE } = setup;
  const stream =
    setup.stream ?? (() => streamOf(streamed.map((delivery) => ({ type: 'attempt', delivery }))));
  const awaited = { filter: {}, list: async () => listed, ...changes };
  return trackDeliveries({ stream }, awaited, { signal, timeoutMs });
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
    const canStop = ({ matched }: { matched: number }) => matched === 2;
    const streamed = [succeeded, other, aDelivery({ id: 'del_3', status: 'failed' })];
    await expect(wait({ streamed }, { includes: () => true, canStop })).resolves.toEqual([succeeded, other]);
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
    const streamed = [paused, { ...other, status: 'pending' }, other, succeeded] as const;
    const listed = [pending, { ...other, status: 'pending' } as const];
    await expect(wait({ listed, streamed })).resolves.toEqual([paused, other]);
  });

  it('a wait continues while another delivery is waiting besides a paused one', async () => {
    const listed = [{ ...pending, paused: true }, { ...other, status: 'pending' } as const];
    await expect(wait({ listed, streamed: [succeeded, other] })).resolves.toEqual([succeeded, other]);
  });

  it('a wait reads the list again when the stream reports that an endpoint was changed', async () => {
    const pages = [pending, { ...pending, paused: true }];
    const list = async () => pages.splice(0, 1);
    const stream = () => streamOf([{ type: 'webhook' }, { type: 'attempt', delivery: succeeded }]);
    await expect(wait({ stream }, { list })).resolves.toMatchObject([{ paused: true }]);
  });

  it('a wait ends immediately when it is interrupted', async () => {
    const interruption = new AbortController();
    const waiting = wait({ listed: [pending], stream: silence, signal: interruption.signal });
    interruption.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
  });
});
