import { formatDuration } from '../../domain/duration.ts';
import { createWebhookSecret } from '../../domain/secret.ts';
import type { CheckContext } from '../check-context.ts';
import { type CheckOutcome, failed, inconclusive, passed, type ReceiverCheck } from '../receiver-check.ts';
import type { DeliveryMessage } from '../receiver-client.ts';
import type { SideEffectCounter } from '../side-effect-counter.ts';

const SAMPLE_COUNT = 3;
/** A valid delivery is quick if it takes at most this share of the threshold for slow work longer than a tampered one. */
const QUICK_SHARE = 1 / 2;

/**
 * The response comes before the work (§6.5). Slow work shows in the response time, compared with a tampered delivery that
 * causes no work. Whether other work comes before or after the response shows only if its side effect comes later. A side effect
 * that comes before a quick response is allowed: it can be a row of a queue.
 */
export const acceptanceChecks: readonly ReceiverCheck[] = [
  {
    id: 'acceptance.in-time',
    sent: 'a valid delivery',
    sendsNothing: true,
    async run({ pace, timeoutMs }) {
      const received = `response after ${formatDuration(pace.responseMs)}`;
      return pace.isLate
        ? failed(
            received,
            `Your receiver does not respond within ${formatDuration(timeoutMs)}, so the service counts the delivery as failed and sends it again. Respond as soon as you have stored the delivery, and do the work afterwards.`,
          )
        : passed(received, 'Your receiver responds in time.');
    },
  },
  {
    id: 'acceptance.before-work',
    sent: `${SAMPLE_COUNT} valid deliveries and ${SAMPLE_COUNT} tampered ones`,
    countsSideEffects: true,
    async run(context) {
      const { deliveries } = context;
      // With a slow receiver, the time that was measured at the start is enough.
      const acceptedMs = context.pace.isSlow
        ? context.pace.responseMs
        : await measureShortestResponse(context, () => deliveries.createValid());
      const rejectedMs = await measureShortestResponse(context, () =>
        deliveries.sign(deliveries.createBody(), { secrets: [createWebhookSecret()] }),
      );
      const received = `response after ${acceptedMs} ms, to tampered deliveries after ${rejectedMs} ms`;
      if (acceptedMs - rejectedMs >= context.slowThresholdMs) {
        return failed(
          received,
          'Your receiver responds after the work is done. Accept the delivery, respond, and then do the work.',
        );
      }
      const sideEffects = await context.getSideEffectCounter();
      return 'reason' in sideEffects
        ? inconclusive(received, sideEffects.reason)
        : checkOrder(
            received,
            acceptedMs - rejectedMs <= QUICK_SHARE * context.slowThresholdMs,
            sideEffects,
            context,
          );
    },
  },
];

/** The shortest response time of several deliveries, which has the least noise, in milliseconds. A slow receiver gets only one. */
async function measureShortestResponse(
  context: CheckContext,
  createMessage: () => DeliveryMessage,
): Promise<number> {
  let shortestMs = Number.POSITIVE_INFINITY;
  const sampleCount = context.pace.isSlow ? 1 : SAMPLE_COUNT;
  for (let sample = 0; sample < sampleCount; sample++) {
    shortestMs = Math.min(shortestMs, (await context.send(createMessage())).durationMs);
  }
  return shortestMs;
}

/**
 * Checks whether a side effect comes after its response. A worker in the background can be quicker than the response by chance, so it
 * tries again.
 */
async function checkOrder(
  received: string,
  isQuick: boolean,
  sideEffects: SideEffectCounter,
  context: CheckContext,
): Promise<CheckOutcome> {
  for (let sample = 0; sample < SAMPLE_COUNT; sample++) {
    await sideEffects.wait();
    await context.send(context.deliveries.createValid());
    if ((await sideEffects.count()) === 0) {
      return (await sideEffects.wait(context.timeoutMs)).count > 0
        ? passed(received, 'The side effect follows the response.')
        : inconclusive(received, 'The delivery had no side effect in time.');
    }
    if (isQuick) {
      return passed(received, 'Your receiver responds quickly, without making the sender wait for the work.');
    }
  }
  return inconclusive(
    received,
    'The side effect was already there when the response arrived. Add a one-second delay to the work while this check runs.',
  );
}
