import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  getReplayStatus,
  isReplayAttempted,
  type ReplayOutcome,
  replayDeliveries,
  waitForReplays,
} from '../../src/client/replay.ts';
import type { Delivery } from '../../src/contract/delivery-schemas.ts';
import { SvcError } from '../../src/errors.ts';
import { aDelivery, clockAt, NOW } from '../cli/fake-context.ts';

const never = new AbortController().signal;
const perSecond = Number.POSITIVE_INFINITY;

function deliveryOf(id: string): Delivery {
  return { id, status: 'pending', attempt_count: 2 } as Delivery;
}

describe('the status of a replay', () => {
  it.each([
    ['succeeded', null, 'succeeded'],
    ['succeeded', 'replay_failed', 'failed'],
    ['failed', 'replay_failed', 'failed'],
    ['pending', null, 'pending'],
  ] as const)(
    'a replay of a delivery that is %s with the reason %s leaves the status %s [replay.failed]',
    (status, settled_reason, expected) => {
      expect(getReplayStatus({ ...deliveryOf('del_1'), status, settled_reason })).toBe(expected);
    },
  );
});

describe('replaying many deliveries', () => {
  it('a refused replay does not stop the others, and the order is kept', async () => {
    const gone = new SvcError('conflict', 'The endpoint has been deleted.');
    const calls: unknown[] = [];
    const control = {
      replayDelivery: async (input: { readonly id: string }) => {
        calls.push(input);
        if (input.id === 'del_2') throw gone;
        return deliveryOf(input.id);
      },
    };
    const notified: ReplayOutcome[] = [];
    const outcomes = await replayDeliveries(['del_1', 'del_2', 'del_3'], { new_id: true }, control, {
      ...{ perSecond, signal: never },
      onOutcome: (outcome) => notified.push(outcome),
    });
    expect(outcomes).toEqual([
      { delivery: deliveryOf('del_1'), attemptsBefore: 2 },
      { id: 'del_2', error: gone },
      { delivery: deliveryOf('del_3'), attemptsBefore: 2 },
    ]);
    expect(new Set(notified)).toEqual(new Set(outcomes));
    expect(calls).toContainEqual({ id: 'del_3', new_id: true });
  });

  it('an error that does not concern a single delivery stops all replays', async () => {
    const lost = new SvcError('no_emulator', 'No response.');
    const control = { replayDelivery: () => Promise.reject(lost) };
    await expect(replayDeliveries(['del_1'], {}, control, { perSecond, signal: never })).rejects.toBe(lost);
  });

  it('an interruption starts no further replay and does not wait', async () => {
    const stop = new AbortController();
    const calls: string[] = [];
    const control = {
      replayDelivery: async ({ id }: { readonly id: string }) => {
        calls.push(id);
        stop.abort();
        return deliveryOf(id);
      },
    };
    const work = replayDeliveries(['del_1', 'del_2'], {}, control, { perSecond: 0.001, signal: stop.signal });
    await expect(work).rejects.toMatchObject({ code: 'interrupted' });
    expect(calls).toEqual(['del_1']);
  });
});

describe('the result of a replay', () => {
  it('a replay has a result with its attempt, or with the end of the delivery', () => {
    const delivery = deliveryOf('del_1');
    expect(isReplayAttempted({ delivery, attemptsBefore: 2 })).toBe(false);
    expect(isReplayAttempted({ delivery: { ...delivery, attempt_count: 3 }, attemptsBefore: 2 })).toBe(true);
    expect(isReplayAttempted({ delivery: { ...delivery, status: 'canceled' }, attemptsBefore: 2 })).toBe(
      true,
    );
  });

  it('waitForReplays waits until each replay has its attempt', async () => {
    const due = { attempt_count: 2, next_attempt_at: new Date(NOW).toISOString() };
    const pending = aDelivery({ ...due, id: 'del_1' });
    const replays = [pending, aDelivery({ ...due, id: 'del_2' })].map((delivery) => ({
      ...{ delivery, attemptsBefore: 2 },
    }));
    const attempted = aDelivery({ ...due, id: 'del_1', attempt_count: 3 });
    const settled = aDelivery({ ...due, id: 'del_2', status: 'canceled' });
    const read: string[] = [];
    const control = {
      ...{ getClock: clockAt().getClock },
      // It does not end before it is aborted.
      stream: (_: unknown, signal: AbortSignal) => ({
        ready: Promise.resolve(),
        async *[Symbol.asyncIterator]() {
          yield { type: 'attempt', delivery: attempted };
          if (!signal.aborted) await once(signal, 'abort');
        },
      }),
      getDelivery: async ({ id }: { readonly id: string }) => {
        read.push(id);
        return id === 'del_2' ? settled : pending;
      },
    } as unknown as Parameters<typeof waitForReplays>[1];
    const result = await waitForReplays(replays, control, { signal: never, timeoutMs: 60_000 });
    expect(result).toEqual({
      replays: [attempted, settled].map((delivery) => ({ delivery, attemptsBefore: 2 })),
      isStalled: false,
    });
    expect(read).toEqual(['del_1', 'del_2']);
  });
});
