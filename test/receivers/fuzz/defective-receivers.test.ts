/** Receivers with one defect each: the fuzz run finds a small sequence that shows it. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fuzzRules } from '../../../src/receivers/play-rules.ts';
import { getTamperedDelivery } from '../../../src/receivers/tampered-deliveries.ts';
import type { ReceiverParts } from '../configurable-receiver.ts';
import { correctReceivers, storeSlowly } from '../correct-receivers.ts';
import { defects } from '../defects.ts';
import { startInProcessReceiver, useVirtualTime } from '../in-process-receiver.ts';
import { fuzzReceiver } from './fuzz-receiver.ts';

vi.mock('../../../src/platform/timers.ts', () => import('../../support/fakeable-timers.ts'));
vi.mock('../../../src/receivers/receiver-client.ts', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  createReceiverClient: (await import('../in-process-receiver.ts')).createInProcessClient,
}));

beforeEach(useVirtualTime);
afterEach(() => {
  vi.useRealTimers();
});

const found = defects.flatMap(({ fuzz, ...defect }) => (fuzz === null ? [] : [{ ...defect, fuzz }]));

describe('the fuzz run of a receiver', () => {
  it.each(found)(
    'a receiver that $name breaks a rule, and its smallest sequence is short',
    async (defect) => {
      await using receiver = await startInProcessReceiver(defect.create());
      const { rule, steps, only, attack } = defect.fuzz;
      const { failure } = await fuzzReceiver({
        url: receiver.url,
        readSideEffects: receiver.readSideEffects,
        ...(only && { variations: new Set(only) }),
        timeoutMs: defect.timeoutMs ?? 5_000,
        restart: only?.includes('restart') ? receiver.restart : null,
      });
      expect(failure?.rule).toBe(rule);
      if (steps !== undefined) expect(failure?.sequence.steps.length).toBeLessThanOrEqual(steps);
      if (attack !== undefined) expect(failure?.sequence.steps).toMatchObject([{ kind: 'attack', attack }]);
    },
  );

  it('the remedy for an attack that is accepted explains it, and one for an error does not', async () => {
    const rejectedWith = async (parts: Partial<ReceiverParts>) => {
      await using receiver = await startInProcessReceiver(parts);
      const { url } = receiver;
      const variations = new Set(['forged'] as const);
      const { failure } = await fuzzReceiver({ url, readSideEffects: null, variations });
      return failure?.remedy;
    };
    const { remedy } = fuzzRules.rejected;
    const { explanation } = getTamperedDelivery('forged');
    expect(await rejectedWith({ matches: () => true })).toBe(`${explanation} ${remedy}`);
    expect(await rejectedWith({ rejectionStatus: 500 })).toBe(remedy);
  });

  it('a repeated side effect is found with a count too', async () => {
    await using receiver = await startInProcessReceiver({ storeKey: () => true });
    const { failure, side_effects } = await fuzzReceiver({
      url: receiver.url,
      readSideEffects: receiver.readSideEffectCount,
    });
    expect(side_effects).toBe('count');
    expect(failure).toMatchObject({ rule: 'once', message: '2 side effects instead of 1.' });
  });

  it.each(
    Object.entries({
      ...correctReceivers,
      'works at once': () => ({}),
      'has a clock that is three minutes ahead': () => ({ clockDifferenceMs: 180_000 }),
      'has a clock that is three minutes behind': () => ({ clockDifferenceMs: -180_000 }),
    }),
  )('a correct receiver that %s breaks no rule', async (_, create) => {
    await using receiver = await startInProcessReceiver(create());
    const report = await fuzzReceiver({
      url: receiver.url,
      readSideEffects: receiver.readSideEffects,
      restart: receiver.restart,
      runs: 20,
    });
    expect(report).toMatchObject({ ok: true, runs: 20, side_effects: 'ids', failure: null });
  });
});

it('a correct receiver that stores keys in a second, and responds to repeats with 409 meanwhile, breaks no rule', async () => {
  await using receiver = await startInProcessReceiver(storeSlowly(1_000));
  const { failure } = await fuzzReceiver({
    url: receiver.url,
    readSideEffects: receiver.readSideEffects,
    replay: {
      version: 1,
      random_seed: 1,
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
