import { formatDuration } from '../../domain/duration.ts';
import { createWebhookSecret } from '../../domain/secret.ts';
import type { CheckContext } from '../check-context.ts';
import { failed, inconclusive, passed, type ReceiverCheck } from '../receiver-check.ts';
import type { DeliveryMessage } from '../receiver-client.ts';

const SAMPLE_COUNT = 3;
/** A valid delivery is quick if it takes at most this share of the threshold for slow work longer than a tampered one. */
const QUICK_SHARE = 1 / 2;

/**
 * The response comes before the work (§6.5). Slow work shows in the response time, compared with a tampered delivery that causes no
 * work. The side effects do not show it: one that comes before a quick response is allowed, because it can be a row of a queue.
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
    async run(context) {
      const { deliveries, slowThresholdMs } = context;
      // With a slow receiver, the time that was measured at the start is enough.
      const acceptedMs = context.pace.isSlow
        ? context.pace.responseMs
        : await measureShortestResponse(context, () => deliveries.createValid());
      const rejectedMs = await measureShortestResponse(context, () =>
        deliveries.sign(deliveries.createBody(), { secrets: [createWebhookSecret()] }),
      );
      const received = `response after ${acceptedMs} ms, to tampered deliveries after ${rejectedMs} ms`;
      const differenceMs = acceptedMs - rejectedMs;
      if (differenceMs >= slowThresholdMs) {
        return failed(
          received,
          'Your receiver responds after the work is done. Accept the delivery, respond, and then do the work.',
        );
      }
      return differenceMs <= QUICK_SHARE * slowThresholdMs
        ? passed(received, 'Your receiver responds quickly, without making the sender wait for the work.')
        : inconclusive(
            received,
            'The time does not show whether the work is done before the response. Add a one-second delay to the work while this check runs.',
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
