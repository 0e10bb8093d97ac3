import { expect, it } from 'vitest';
import type { CheckContext } from '../../src/receiver/check-context.ts';
import { acceptanceChecks } from '../../src/receiver/checks/acceptance-checks.ts';

/**
 * Runs the check against a receiver that responds to valid deliveries after 300 ms.
 * @param earlyEffects of how many deliveries the effect exists when the response arrives
 */
async function checkOrder(earlyEffects: number) {
  const effects = { count: 0, remaining: earlyEffects };
  const context = {
    slowThresholdMs: 400,
    pace: { isSlow: false },
    deliveries: { createValid: () => 'valid', createBody: () => '{}', sign: () => 'tampered' },
    send: async (message: string) => {
      if (message === 'valid' && effects.remaining-- > 0) effects.count++;
      return { durationMs: message === 'valid' ? 300 : 0 };
    },
    getEffectCounter: async () => ({
      waitUntilStable: async () => effects.count,
      read: async () => effects.count,
      waitForIncrease: async () => true,
    }),
  };
  const check = acceptanceChecks.find(({ id }) => id === 'acceptance.before-work');
  return check?.run(context as unknown as CheckContext);
}

/** Deliveries that measure the response time come before those that show the order. */
const MEASURED = 3;

it('acceptance.before-work passes if a worker was quicker than the response by chance, and later was not [§6.5]', async () => {
  expect(await checkOrder(MEASURED + 2)).toMatchObject({
    status: 'passed',
    meaning: 'The effect follows the response.',
  });
});

it('acceptance.before-work is not observable if each effect exists when the response arrives [§6.5]', async () => {
  expect(await checkOrder(MEASURED + 3)).toMatchObject({ status: 'not_observable' });
});
