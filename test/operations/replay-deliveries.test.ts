import { describe, expect, it } from 'vitest';
import { SvcError } from '../../src/domain/errors.ts';
import { getReplayStatus, replayDeliveries } from '../../src/operations/replay-deliveries.ts';
import type { Delivery } from '../../src/resources/delivery.ts';

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
  it('a refused replay does not stop the others', async () => {
    const gone = new SvcError('conflict', 'The endpoint has been deleted.');
    const calls: unknown[] = [];
    const control = {
      replayDelivery: async (input: { readonly id: string }) => {
        calls.push(input);
        if (input.id === 'del_2') throw gone;
        return deliveryOf(input.id);
      },
    };
    let notified = 0;
    const outcomes = await replayDeliveries(['del_1', 'del_2', 'del_3'], { new_id: true }, control, {
      ...{ perSecond, signal: never },
      onOutcome: () => notified++,
    });
    expect(outcomes).toEqual({
      replays: [deliveryOf('del_1'), deliveryOf('del_3')],
      refused: [{ id: 'del_2', error: gone }],
    });
    expect(notified).toBe(3);
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
