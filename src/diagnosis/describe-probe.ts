/** What a probe of a receiver shows, instead of what the response says. */
import { formatCount } from '../domain/message-parts.ts';
import type { Hint } from '../errors.ts';
import type { DeliveryCause } from './attempt-hints.ts';
import { toDeliveryHints } from './delivery-hints.ts';
import type { Mistake, Verdict } from './judge-attempt.ts';
import type { LayerKind } from './layers.ts';
import { say } from './sentences.ts';

/** Why a probe ended before all known mistakes were tried; null if it did not. */
export type ProbeStop = keyof typeof stopTexts | null;

const stopTexts = {
  no_response: 'the receiver did not respond',
  rate_limit: 'the receiver returned 429',
  time_limit: 'the time limit was reached',
  large_body: 'a large body is sent at most 40 times',
} as const;

const LOG_REQUEST = 'Log the request in the first line of your handler, to see whether it is reached.';
const READ_LOG =
  'Read the log of the receiver. If the error is in the verification, check that its secret is set, and that it gets the raw body and each header as text.';

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
  readonly layer: { readonly kind: LayerKind } | null;
}

/** @param explanation what is known without the probe. @param secret such as `the current endpoint secret (whsec_…x1Zk)` */
export function describeProbe(
  probe: ProbeResult,
  { attempt, cause, delivery, evidence, hints, layer }: Explained,
  secret: string,
): Partial<Omit<Verdict, 'layer' | 'mistake'>> & { readonly mistake: Mistake | null } {
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
      // If the clock of the receiver was wrong, the cause would be known, and there would be no probe.
      if (layer?.kind === 'signature_time') {
        const [{ text: remedy } = own.show] = hints;
        const mistake = { reason: 'timestamp_unreadable', detail: say('probe_time'), remedy } as const;
        return {
          ...{ cause: 'signature_rejected', certainty: 'likely', mistake },
          detail: detail(mistake.detail),
          evidence: [say('probe_differs_fact'), ...evidence],
        };
      }
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
      const compare = `Compare the secret of the receiver with ${secret}.`;
      const [sentence, text] = isReached
        ? (['probe_verified', compare] as const)
        : cause === 'receiver_error'
          ? (['probe_fails', READ_LOG] as const)
          : (['probe_constant', `${LOG_REQUEST} ${compare}`] as const);
      return {
        ...{ cause, certainty: 'likely', mistake: null },
        detail: detail(say(sentence)),
        evidence: [say('probe_tried', { count }), ...evidence],
        hints: [{ text }, own.secret, own.verify],
      };
    }
    default:
      return { mistake: null, detail: detail(say('probe_accepted')), evidence: [], hints: [own.replay] };
  }
}
