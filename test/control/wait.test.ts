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

interface Scene {
  readonly listed?: readonly Delivery[];
  readonly told?: readonly Delivery[];
  readonly stream?: (input: StreamInput, signal: AbortSignal) => LiveStream;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

async function wait(scene: Scene, changes: Partial<WaitTarget> = {}): Promise<Delivery[]> {
  const { listed = [], told = [], signal = new AbortController().signal, timeoutMs = A_MINUTE } = scene;
  const stream = scene.stream ?? (() => streamOf(told.map((delivery) => ({ type: 'attempt', delivery }))));
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
  it('asks the stream for no more than it has to', async () => {
    const asked: StreamInput[] = [];
    const stream = (input: StreamInput) => {
      asked.push(input);
      return streamOf([]);
    };
    await wait({ stream }, { filter: { event_id: 'evt_1' } });
    expect(asked).toEqual([{ event_id: 'evt_1', types: 'delivery,attempt' }]);
  });

  it('looks only once the stream stands, so that nothing can happen in between', async () => {
    const order: string[] = [];
    const stream = () => ({ ...streamOf([]), ready: Promise.resolve().then(() => void order.push('ready')) });
    const look = async () => {
      order.push('look');
      return [];
    };
    await wait({ stream }, { list: look });
    expect(order).toEqual(['ready', 'look']);
  });

  it('ends with the look where there is nothing to wait for', async () => {
    await expect(wait({ listed: [succeeded], stream: silence })).resolves.toEqual([succeeded]);
  });

  it('ends with the news that the last one has settled, and keeps to those that it looked at', async () => {
    const told = [other, pending, succeeded, { ...succeeded, attempt_count: 9 }];
    await expect(wait({ listed: [pending], told })).resolves.toEqual([succeeded]);
  });

  it('counts what comes later where it is asked to', async () => {
    const isOver = ({ done }: { done: number }) => done === 2;
    const told = [succeeded, other, aDelivery({ id: 'del_3', status: 'failed' })];
    await expect(wait({ told }, { includes: () => true, isDone: isOver })).resolves.toEqual([
      succeeded,
      other,
    ]);
  });

  it('leaves the stream when it is over', async () => {
    const signals: AbortSignal[] = [];
    const stream = (_input: StreamInput, signal: AbortSignal) => {
      signals.push(signal);
      return streamOf([{ type: 'attempt', delivery: succeeded }]);
    };
    await wait({ listed: [pending], stream });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('gives back what there is when the time is over', async () => {
    await expect(wait({ listed: [pending], stream: silence, timeoutMs: 1 })).resolves.toEqual([pending]);
  });

  it('ends at once when all that is open is paused, in the list or in the stream', async () => {
    const paused = { ...pending, paused: true };
    await expect(wait({ listed: [paused, other], stream: silence })).resolves.toEqual([paused, other]);
    const told = [paused, { ...other, status: 'pending' }, other, succeeded] as const;
    const listed = [pending, { ...other, status: 'pending' } as const];
    await expect(wait({ listed, told })).resolves.toEqual([paused, other]);
  });

  it('does not end while another delivery is open beside a paused one', async () => {
    const listed = [{ ...pending, paused: true }, { ...other, status: 'pending' } as const];
    await expect(wait({ listed, told: [succeeded, other] })).resolves.toEqual([succeeded, other]);
  });

  it('reads what is open again when the time is over, because the stream does not report a disabled endpoint', async () => {
    const looks = [pending, { ...pending, paused: true }];
    const look = async () => looks.splice(0, 1);
    await expect(wait({ stream: silence, timeoutMs: 1 }, { list: look })).resolves.toMatchObject([
      { paused: true },
    ]);
  });

  it('ends at once when it is interrupted', async () => {
    const interruption = new AbortController();
    const waiting = wait({ listed: [pending], stream: silence, signal: interruption.signal });
    interruption.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
  });
});
