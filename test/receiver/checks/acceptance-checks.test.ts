import { describe, expect, it } from 'vitest';
import type { SideEffectCounter } from '../../../src/receiver/side-effect-counter.ts';
import { respond, runCheck } from './check-setup.ts';

describe('acceptance.in-time', () => {
  it.each([
    [true, 'failed', 'response after 6s'],
    [false, 'passed', 'response after 6s'],
  ])('acceptance.in-time with late responses (%s) is %s [§6.5]', async (isLate, status, received) => {
    const run = await runCheck('acceptance.in-time', { pace: { isLate, responseMs: 6_000 } });
    expect(run).toMatchObject({ status, received, sent: [] });
  });
});

/** Side effects that exist when this number of responses to the last deliveries arrived, and that come later or not. */
function countSideEffects(early: number, comesLater: boolean): Partial<SideEffectCounter> {
  let count = 0;
  return {
    count: async () => (++count <= early ? 1 : 0),
    wait: async () => ({ count: comesLater ? 1 : 0, isComplete: comesLater }),
  };
}

describe('acceptance.before-work', () => {
  /** The times of the responses to three valid and three tampered deliveries; 1 ms for later ones. */
  const respondAfter = (...durations: number[]) => ({
    responses: (_: unknown, index: number) => respond(204, { durationMs: durations[index] ?? 1 }),
  });

  it.each<[number, Partial<SideEffectCounter> | undefined, string, string, number]>([
    [500, undefined, 'failed', 'Your receiver responds after the work is done.', 6],
    [499, undefined, 'inconclusive', 'Side effects are not counted.', 6],
    [300, countSideEffects(3, true), 'passed', 'Your receiver responds quickly', 7],
    [
      301,
      countSideEffects(3, true),
      'inconclusive',
      'The side effect was already there when the response arrived.',
      9,
    ],
    [301, countSideEffects(2, true), 'passed', 'The side effect follows the response.', 9],
    [100, countSideEffects(0, true), 'passed', 'The side effect follows the response.', 7],
    [100, countSideEffects(0, false), 'inconclusive', 'The delivery had no side effect in time.', 7],
  ])(
    'acceptance.before-work of a receiver that accepts after %i ms and rejects after 100 ms: %o → %s: %s [§6.5]',
    async (ms, sideEffects, status, meaning, count) => {
      const run = await runCheck('acceptance.before-work', {
        ...respondAfter(900, ms, 800, 700, 100, 900),
        ...(sideEffects && { sideEffects }),
      });
      expect(run).toMatchObject({
        ...{ status, meaning: expect.stringContaining(meaning) },
        received: `response after ${ms} ms, to tampered deliveries after 100 ms`,
      });
      expect(run.sent).toHaveLength(count);
    },
  );

  it('acceptance.before-work sends only one tampered delivery to a slow receiver', async () => {
    const run = await runCheck('acceptance.before-work', {
      ...{ ...respondAfter(200), pace: { isSlow: true, responseMs: 700 } },
    });
    expect(run).toMatchObject({
      status: 'failed',
      received: 'response after 700 ms, to tampered deliveries after 200 ms',
    });
    expect(run.sent).toHaveLength(1);
  });

  it('acceptance.before-work counts the side effects when the response has arrived', async () => {
    let responses = 0;
    const counts: number[] = [];
    await runCheck('acceptance.before-work', {
      responses() {
        responses++;
        return respond(204);
      },
      sideEffects: {
        async count() {
          counts.push(responses);
          return 1;
        },
      },
    });
    expect(counts).toEqual([7]);
  });
});
