/** Why an attempt ended as it did, and what the developer of a receiver can do. */

import { type AttemptOutcome, describeOutcome } from '../domain/delivery.ts';
import { type AppliedFault, type FaultKind, isAttemptSent } from '../domain/fault.ts';
import { toSentence } from '../domain/message-parts.ts';
import type { Hint } from '../errors.ts';
import type { AttemptCause } from './causes.ts';
import { toDeliveryHints } from './delivery-hints.ts';
import { findLayer } from './find-layer.ts';
import type { Exchange } from './read-response.ts';
import { type Fix, toHint } from './sentences.ts';
import { findTransportHint } from './transport-problems.ts';

/** An attempt; its request and its response, where they are known, show which layer responded. */
interface AttemptToExplain extends Partial<Omit<Exchange, 'response_status'>> {
  readonly outcome: AttemptOutcome;
  readonly response_status: number | null;
  readonly error?: string | null;
  readonly fault?: AppliedFault | undefined;
}

/** Faults after which a correct receiver rejects the attempt. */
const invalidatingFaults: readonly FaultKind[] = ['tamper-body', 'bad-signature', 'stale-timestamp'];
/** Faults after which a receiver can reject the attempt. One that knows the previous secret accepts `old-secret`. */
const rejectedFaults: readonly FaultKind[] = [...invalidatingFaults, 'old-secret'];
/** Faults that make an attempt fail, whatever the receiver does. */
const failingFaults: readonly FaultKind[] = ['drop', 'error-response', 'timeout', 'reset'];

interface AttemptedDelivery {
  readonly id: string;
  readonly webhook_id: string;
  readonly url: string;
}

export function findCause(attempt: AttemptToExplain): AttemptCause {
  const cause = findCauseWithoutFault(attempt);
  const kind = attempt.fault?.kind;
  if (kind === undefined) return cause;
  if (cause === 'delivered') return invalidatingFaults.includes(kind) ? 'accepted_invalid' : cause;
  const isRejected = cause === 'rejected' || cause === 'receiver_error';
  const isFailedByFault = failingFaults.includes(kind) || (isRejected && rejectedFaults.includes(kind));
  return isFailedByFault ? 'injected_fault' : cause;
}

function findCauseWithoutFault({ outcome, response_status: status }: AttemptToExplain): AttemptCause {
  if (outcome === 'succeeded') return 'delivered';
  if (outcome !== 'http_error') return outcome;
  if (status === null || status < 400) return 'redirect';
  if (status === 429) return 'rate_limited';
  if ([404, 405, 410].includes(status)) return 'wrong_path';
  return status < 500 ? 'rejected' : 'receiver_error';
}

/** What happened, in one or two sentences. */
export function describeCause(attempt: AttemptToExplain & { readonly number: number }): string {
  const { number, outcome, response_status: status, error = null, fault } = attempt;
  const cause = findCause(attempt);
  if (cause === 'delivered') return `The receiver returned ${status} to attempt ${number}.`;
  if (cause === 'accepted_invalid')
    return `The receiver accepted an attempt that the injected fault ${fault?.kind} had made invalid.`;
  // The error of a redirect also says where to.
  const isError = outcome === 'http_error' && cause !== 'redirect';
  const isSent = isAttemptSent(fault);
  const response = isSent
    ? `Your receiver returned ${status}.`
    : `An injected fault returned ${status}. Your receiver was not called.`;
  const result = isError ? response : toSentence(error ?? describeOutcome({ ...attempt, error }));
  if (cause !== 'injected_fault') return result;
  const effect = isError && isSent ? 'had changed the request' : 'caused this';
  return `${result} The injected fault ${fault?.kind} (${fault?.id}) ${effect}.`;
}

const UPDATE = 'svc webhooks update {webhook} --url URL';
const CHECK = 'svc receiver check {url} --secret SECRET';

/** What to do after an attempt with this cause. */
const fixes: Readonly<Partial<Record<AttemptCause, Fix>>> = {
  accepted_invalid: { fix: 'The receiver accepted an invalid delivery. Check it', command: CHECK },
  redirect: { fix: 'Redirects are not followed. Register the final URL', command: UPDATE },
  wrong_path: { fix: 'Check the path of the endpoint URL, and correct it', command: UPDATE },
  rate_limited: {
    fix: 'Raise the rate limit of the receiver, or replay failed deliveries at a lower rate',
    command: 'svc deliveries replay --failed --rate 5/s',
  },
  rejected: {
    fix: 'Read the response and the log of the receiver to find out why it rejected the delivery.',
  },
  receiver_error: { fix: 'Read the response and the log of the receiver to find the error.' },
  timeout: { fix: 'Return a 2xx response as soon as you have stored the delivery, and process it later.' },
  connection_error: { fix: 'Start or fix the receiver, or change the endpoint URL', command: UPDATE },
  tls_error: { fix: 'Correct the TLS settings of the receiver, or change the endpoint URL', command: UPDATE },
  dns_error: { fix: 'Correct the host name', command: UPDATE },
  blocked: { fix: 'svc never connects to this address. Change the endpoint URL', command: UPDATE },
};

/**
 * The next steps for the developer of the receiver, the most likely first; none after a correct response.
 * @param isFaultActive whether the fault of the attempt can still be applied
 */
export function findAttemptHints(
  attempt: AttemptToExplain,
  delivery: AttemptedDelivery,
  isFaultActive = true,
): Hint[] {
  const { request, response, response_status, error, fault } = attempt;
  const own = toDeliveryHints(delivery);
  const cause = findCause(attempt);
  if (cause === 'injected_fault') {
    return isFaultActive
      ? [
          {
            text: `Remove the injected fault (${fault?.kind}) that caused this failure`,
            command: `svc faults clear ${fault?.id}`,
          },
        ]
      : [
          {
            ...own.replay,
            text: `The injected fault (${fault?.kind}) no longer applies. Replay the delivery`,
          },
        ];
  }
  const values = { webhook: delivery.webhook_id, url: delivery.url };
  const { layer } =
    request && response ? findLayer({ response_status, request, response }, values) : { layer: null };
  if (layer !== null && !layer.isVerification) return cause === 'delivered' ? [] : [layer.hint];
  const transport = findTransportHint(error ?? '', delivery);
  if (transport !== null) return [transport];
  const fix = fixes[cause];
  if (fix === undefined) return [];
  const hint = toHint(fix, values);
  if (cause !== 'rejected' && cause !== 'receiver_error') return [hint];
  const isSignature = [400, 401, 403].includes(response_status ?? 0);
  const { command } = own.verify;
  const verify = {
    text: 'If the receiver rejects the signature, check the digest that it computes',
    command,
  };
  const check = { fix: 'Check how the receiver handles signatures, duplicates and errors', command: CHECK };
  return [isSignature ? verify : hint, toHint(check, values)];
}
