/** Receivers with one defect each: the exploration finds a small history that shows it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type ReceiverParts, startConfigurableReceiver, storeKey } from '../configurable-receiver.ts';
import { defects } from '../defects.ts';
import { exploreReceiver } from './explore-receiver.ts';

const found = defects.flatMap(({ explore, ...defect }) => (explore === null ? [] : [{ ...defect, explore }]));

// Most of the time is spent waiting for effects.
describe('the exploration of a receiver', { concurrent: true, timeout: 60_000 }, () => {
  it.each(found)('a receiver that $name breaks a rule, and its smallest history is short', async (defect) => {
    await using receiver = await startConfigurableReceiver(defect.create());
    const { rule, steps, only } = defect.explore;
    const { failure } = await exploreReceiver({
      url: receiver.url,
      readEffects: receiver.readEffects,
      ...(only && { disturbances: new Set(only) }),
      timeoutMs: defect.timeoutMs ?? 5_000,
      restart: only?.includes('restart') ? receiver.restart : null,
    });
    expect(failure?.rule).toBe(rule);
    if (steps !== undefined) expect(failure?.history.steps.length).toBeLessThanOrEqual(steps);
  });

  it('a repeated effect is found with a count too', async () => {
    await using receiver = await startConfigurableReceiver({ storeKey: () => true });
    const { failure, effects } = await exploreReceiver({
      url: receiver.url,
      readEffects: receiver.readEffectCount,
    });
    expect(effects).toBe('count');
    expect(failure).toMatchObject({ rule: 'once', message: '2 effects instead of 1.' });
  });

  it.each<readonly [string, Partial<ReceiverParts>]>([
    ['that works at once', {}],
    ['that works after the response', { work: () => sleep(30) }],
    ['that responds after the work', { work: () => sleep(15), respondsAfterWork: true }],
    ['that stores keys slowly', storeSlowly(10)],
    ['that limits the rate', limitRate()],
    ['with a clock that is three minutes ahead', { clockDifferenceMs: 180_000 }],
    ['with a clock that is three minutes behind', { clockDifferenceMs: -180_000 }],
  ])('a correct receiver %s breaks no rule', async (_, parts) => {
    await using receiver = await startConfigurableReceiver(parts);
    const report = await exploreReceiver({
      url: receiver.url,
      readEffects: receiver.readEffects,
      restart: receiver.restart,
      runs: 20,
    });
    expect(report).toMatchObject({ ok: true, runs: 20, effects: 'ids', failure: null });
  });
});

it('a correct receiver that stores keys in a second, and responds to repeats with 409 meanwhile, breaks no rule', {
  timeout: 30_000,
}, async () => {
  await using receiver = await startConfigurableReceiver(storeSlowly(1_000));
  const { failure } = await exploreReceiver({
    url: receiver.url,
    readEffects: receiver.readEffects,
    replay: {
      version: 1,
      seed: 1,
      run: null,
      events: [{ type: 'order.shipped', payload: '{}' }],
      steps: [
        { kind: 'deliver', event: 0 },
        { kind: 'deliver', event: 0, with_previous: true },
      ],
    },
  });
  expect(failure).toBeNull();
});

/** A repeat that arrives while the event is being stored gets 409, and 204 later. */
function storeSlowly(delayMs: number): Partial<ReceiverParts> {
  const storing = new Set<string>();
  return {
    refuse: ({ data }) => (storing.has(data.id) ? 409 : null),
    async storeKey(key, seen) {
      storing.add(key);
      await sleep(delayMs);
      storing.delete(key);
      return storeKey(key, seen);
    },
  };
}

/** A token bucket: 50 deliveries at once, and one more every 20 ms. */
function limitRate(): Partial<ReceiverParts> {
  let [tokens, filledAt] = [50, performance.now()];
  return {
    refuse() {
      const now = performance.now();
      tokens = Math.min(50, tokens + (now - filledAt) / 20);
      filledAt = now;
      if (tokens < 1) return 429;
      tokens--;
      return null;
    },
  };
}
