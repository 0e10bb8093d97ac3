/** What a probe of a receiver shows, instead of what the response says. */
import type { Explanation } from '../contract/explanation-schemas.ts';
import type { ProbeStop, SignatureProbe } from '../delivery/probe-signature.ts';
import { toDeliveryHints } from '../diagnosis/delivery-hints.ts';
import { type SentenceName, say } from '../diagnosis/sentences.ts';
import { formatCount } from '../domain/message-parts.ts';

const stopTexts: Readonly<Record<ProbeStop, string>> = {
  no_response: 'the receiver did not respond',
  rate_limit: 'the receiver returned 429',
  time_limit: 'the time limit was reached',
  large_body: 'a large body is sent at most 40 times',
};

const LOG_REQUEST = 'Log the request in the first line of your handler, to see whether it is reached.';
const READ_LOG =
  'Read the log of the receiver. If the error is in the verification, check that its secret is set, and that it gets the raw body and each header as text.';

/**
 * @param explanation what is known without the probe
 * @param secret such as `the current endpoint secret (whsec_…x1Zk)`
 * @returns the fields of the explanation that change
 */
export function describeProbe(
  probe: Exclude<SignatureProbe, { result: 'mistake' }>,
  { attempt, cause, delivery, evidence, hints, layer }: Explanation,
  secret: string,
): Partial<Explanation> {
  const own = toDeliveryHints(delivery);
  const certain = (name: SentenceName) =>
    ({
      certainty: 'certain',
      detail: `Your receiver returned ${attempt?.response_status}. ${say(name)}`,
    }) as const;
  switch (probe.result) {
    case 'accepted':
      return { ...certain('probe_accepted'), evidence: [], hints: [own.replay] };
    case 'random_accepted': {
      const text = 'Correct the condition: accept the delivery only if the signature matches.';
      return {
        ...certain('probe_random_accepted'),
        ...{ cause: 'signature_rejected', evidence: [], hints: [{ text }] },
      };
    }
    case 'signature_accepted': {
      // If the clock of the receiver was wrong, the cause would be known, and there would be no probe.
      if (layer?.kind === 'signature_time') {
        const { text: remedy } = hints[0] ?? own.show;
        return {
          ...{ ...certain('probe_time'), certainty: 'likely' },
          mistake: { reason: 'timestamp_unreadable', detail: say('probe_time'), remedy },
          evidence: [say('probe_differs_fact'), ...evidence],
        };
      }
      const text =
        'Read the response and the log of the receiver to find out what it does after the verification.';
      return {
        ...certain('probe_differs'),
        cause: cause === 'signature_rejected' ? 'rejected' : cause,
        evidence: [say('probe_differs_fact'), ...evidence],
        hints: [{ text }],
      };
    }
    case 'inconsistent':
      return {
        evidence: [say('probe_inconsistent'), ...evidence],
        hints: [...hints.slice(0, 1), own.probe],
      };
  }
  const count = formatCount(probe.tried, 'known mistake');
  if (probe.stop !== null)
    return { evidence: [say('probe_stopped', { count, cause: stopTexts[probe.stop] }), ...evidence] };
  const compare = `Compare the secret of the receiver with ${secret}.`;
  const [sentence, text] =
    cause === 'signature_rejected'
      ? (['probe_verified', compare] as const)
      : cause === 'receiver_error'
        ? (['probe_fails', READ_LOG] as const)
        : (['probe_constant', `${LOG_REQUEST} ${compare}`] as const);
  return {
    ...{ ...certain(sentence), certainty: 'likely' },
    evidence: [say('probe_tried', { count }), ...evidence],
    hints: [{ text }, own.secret, own.verify],
  };
}
