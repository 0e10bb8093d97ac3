import { formatDuration } from '../../domain/duration.ts';
import { createWebhookSecret } from '../../domain/secret.ts';
import type { CheckContext } from '../check-context.ts';
import { failed, inconclusive, passed, type ReceiverCheck } from '../receiver-check.ts';
import type { DeliveryMessage } from '../receiver-client.ts';

const SAMPLE_COUNT = 3;
/** More samples while valid deliveries are not quick, because the machine may be busy. */
const MAX_SAMPLES = 9;
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
    async run({ responseMs, isLate, timeoutMs }) {
      const received = `response after ${formatDuration(responseMs)}`;
      return isLate
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
      const { deliveries, isSlow, slowThresholdMs } = context;
      let [acceptedMs, rejectedMs] = [context.responseMs, Number.POSITIVE_INFINITY];
      const isQuick = () => acceptedMs - rejectedMs <= QUICK_SHARE * slowThresholdMs;
      const maxSamples = isSlow ? 1 : MAX_SAMPLES;
      for (let sample = 0; sample < maxSamples; sample++) {
        if (sample >= SAMPLE_COUNT && isQuick()) break;
        // With a slow receiver, the time that was measured at the start is enough.
        if (!isSlow) acceptedMs = await measure(deliveries.createValid(), acceptedMs, context);
        const tampered = deliveries.sign(deliveries.createBody(), { secrets: [createWebhookSecret()] });
        const [rejected] = await context.sendTampered(tampered);
        rejectedMs = Math.min(rejectedMs, rejected?.durationMs ?? rejectedMs);
      }
      const received = `response after ${formatDuration(acceptedMs)}, or ${formatDuration(rejectedMs)} for a tampered delivery`;
      if (isQuick()) {
        return passed(
          received,
          'Your receiver responds quickly, without making the sender wait for the work.',
        );
      }
      return acceptedMs - rejectedMs >= slowThresholdMs
        ? failed(
            received,
            'Your receiver responds after the work is done. Accept the delivery, respond, and then do the work.',
          )
        : inconclusive(
            received,
            'The time does not show whether the work is done before the response. Add a one-second delay to the work while this check runs.',
          );
    },
  },
];

/** The time of the response to another delivery if it is shorter than the shortest one so far. The shortest has the least noise. */
async function measure(message: DeliveryMessage, shortestMs: number, context: CheckContext): Promise<number> {
  return Math.min(shortestMs, (await context.send(message)).durationMs);
}
