import { formatDuration } from '../../domain/duration.ts';
import { failed, inconclusive, passed, type ReceiverCheck } from '../receiver-check.ts';

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
    async run({ quickestMs, isLate, timeoutMs }) {
      const received = `response after ${formatDuration(quickestMs)}`;
      return isLate
        ? failed(
            received,
            `Your receiver does not respond within ${formatDuration(timeoutMs)}, so the service counts the delivery as failed and sends it again. Respond as soon as you have stored the delivery, and do the work afterwards.`,
          )
        : passed(received);
    },
  },
  {
    id: 'acceptance.before-work',
    sent: `${SAMPLE_COUNT} valid deliveries and ${SAMPLE_COUNT} tampered ones`,
    async run(session) {
      const { isSlow, slowThresholdMs } = session;
      let [acceptedMs, rejectedMs] = [session.quickestMs, Number.POSITIVE_INFINITY];
      const isQuick = () => acceptedMs - rejectedMs <= QUICK_SHARE * slowThresholdMs;
      const maxSamples = isSlow ? 1 : MAX_SAMPLES;
      for (let sample = 0; sample < maxSamples; sample++) {
        if (sample >= SAMPLE_COUNT && isQuick()) break;
        const forged = { kind: 'attack', attack: 'forged', event: 1 } as const;
        // With a slow receiver, the time that was measured at the start is enough.
        const { record } = await session.check(isSlow ? [forged] : [{ kind: 'deliver', event: 0 }, forged]);
        for (const { isGenuine, response } of record.exchanges) {
          // The shortest time has the least noise.
          if (isGenuine) acceptedMs = Math.min(acceptedMs, response.durationMs);
          else rejectedMs = Math.min(rejectedMs, response.durationMs);
        }
      }
      const received = `response after ${formatDuration(acceptedMs)}, or ${formatDuration(rejectedMs)} for a tampered delivery`;
      if (isQuick()) {
        return passed(received);
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
