import { createWebhookSecret } from '../../domain/secret.ts';
import type { CheckContext } from '../check-context.ts';
import type { EffectCounter } from '../effect-counter.ts';
import { type CheckOutcome, failed, notObservable, passed, type ReceiverCheck } from '../receiver-check.ts';
import type { DeliveryMessage } from '../receiver-client.ts';

const SAMPLES = 3;

/**
 * The answer comes before the work (§6.5 of the service description). Work that is slow shows in how long the answer
 * takes, beside that to a forged delivery, on which nothing is done. Whether fast work comes before the answer or after
 * it cannot be seen from outside, unless its effect is seen to come later.
 */
export const acceptanceChecks: readonly ReceiverCheck[] = [
  {
    id: 'acceptance.before-work',
    rule: 'acceptance',
    sent: `${SAMPLES} genuine deliveries, and as many that are forged`,
    async run(checkContext) {
      const { deliveries } = checkContext;
      const acceptedMs = await shortestAnswer(checkContext, () => deliveries.createValid());
      const refusedMs = await shortestAnswer(checkContext, () =>
        deliveries.sign(deliveries.createBody(), { secrets: [createWebhookSecret()] }),
      );
      const received = `answers after ${acceptedMs} ms, to what is forged after ${refusedMs} ms`;
      if (acceptedMs - refusedMs >= checkContext.slowThresholdMs) {
        return failed(
          received,
          'It answers when the work is done: accept the delivery, answer, and work then.',
        );
      }
      const effects = await checkContext.effects();
      return 'why' in effects
        ? notObservable(received, `The work may be fast, or come later. ${effects.why}`)
        : watchOrder(received, effects, checkContext);
    },
  },
];

/** In milliseconds. The shortest of several has the least of the noise in it. */
async function shortestAnswer(checkContext: CheckContext, make: () => DeliveryMessage): Promise<number> {
  let shortestMs = Number.POSITIVE_INFINITY;
  for (let sample = 0; sample < SAMPLES; sample++) {
    shortestMs = Math.min(shortestMs, (await checkContext.send(make())).durationMs);
  }
  return shortestMs;
}

async function watchOrder(
  received: string,
  effects: EffectCounter,
  checkContext: CheckContext,
): Promise<CheckOutcome> {
  const before = await effects.waitUntilStable();
  await checkContext.send(checkContext.deliveries.createValid());
  if ((await effects.read()) > before) {
    return notObservable(
      received,
      'The work is too fast to tell: let it take a second while this check runs.',
    );
  }
  return (await effects.waitForIncrease(before))
    ? passed(received, 'The effect comes after the answer.')
    : notObservable(received, 'No effect came of the delivery in time.');
}
