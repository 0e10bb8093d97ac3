/** What a probe of a receiver shows, instead of what the response says. */
import { formatCount } from '../domain/message-parts.ts';
import type { Hint } from '../errors.ts';
import type { DeliveryCause } from './attempt-hints.ts';
import { toDeliveryHints } from './delivery-hints.ts';
import type { Verdict } from './judge-attempt.ts';
import { say } from './sentences.ts';

/** Why a probe ended before all known mistakes were tried; null if it did not. */
export type ProbeStop = keyof typeof stopTexts | null;

const stopTexts = {
  no_response: 'the receiver did not respond',
  rate_limit: 'the receiver returned 429',
  time_limit: 'the time limit was reached',
  large_body: 'a large body is sent at most 40 times',
} as const;

/** The results of a probe that found no mistake. */
type ProbeResult =
  | { readonly result: 'accepted' | 'random_accepted' | 'signature_accepted' | 'inconsistent' | 'mistake' }
  | { readonly result: 'rejected'; readonly tried: number; readonly stop: ProbeStop };

interface Explained {
  readonly attempt: { readonly response_status: number | null } | null;
  readonly cause: DeliveryCause;
  readonly delivery: { readonly id: string; readonly webhook_id: string };
  readonly evidence: readonly string[];
  readonly hints: readonly Hint[];
}

/** @param explanation what is known without the probe. @param secret such as `the current endpoint secret (whsec_…x1Zk)` */
export function describeProbe(
  probe: ProbeResult,
  { attempt, cause, delivery, evidence, hints }: Explained,
  secret: string,
): Partial<Omit<Verdict, 'layer' | 'mistake'>> & { readonly mistake: null } {
  const own = toDeliveryHints(delivery);
  const detail = (text: string) => `Your receiver returned ${attempt?.response_status}. ${text}`;
  switch (probe.result) {
    case 'random_accepted':
      return {
        ...{ cause: 'signature_rejected', certainty: 'certain', mistake: null },
        detail: detail(say('probe_random_accepted')),
        evidence: [],
        hints: [{ text: 'Correct the condition: accept the delivery only if the signature matches.' }],
      };
    case 'signature_accepted':
      return {
        ...{
          cause: cause === 'signature_rejected' ? 'rejected' : cause,
          certainty: 'certain',
          mistake: null,
        },
        detail: detail(say('probe_differs')),
        evidence: [say('probe_differs_fact'), ...evidence],
        hints: [
          {
            text: 'Read the response and the log of the receiver to find out what it does after the verification.',
          },
        ],
      };
    case 'inconsistent':
      return {
        mistake: null,
        evidence: [say('probe_inconsistent'), ...evidence],
        hints: [...hints.slice(0, 1), own.probe],
      };
    case 'rejected': {
      const count = formatCount(probe.tried, 'known mistake');
      if (probe.stop !== null) {
        const stopped = say('probe_stopped', { count, cause: stopTexts[probe.stop] });
        return { mistake: null, evidence: [stopped, ...evidence] };
      }
      const isReached = cause === 'signature_rejected';
      const reach = isReached
        ? ''
        : 'Log the request in the first line of your handler, to see whether it is reached. If it is, compare: ';
      const compare = `${reach}${isReached ? 'Compare' : ''} the secret of the receiver with ${secret}.`
        .replace(/ {2,}/g, ' ')
        .trim();
      return {
        ...{ cause, certainty: 'likely', mistake: null },
        detail: detail(say(isReached ? 'probe_verified' : 'probe_constant')),
        evidence: [say('probe_tried', { count }), ...evidence],
        hints: [{ text: compare }, own.secret, own.verify],
      };
    }
    default:
      return { mistake: null, detail: detail(say('probe_accepted')), evidence: [], hints: [own.replay] };
  }
}
