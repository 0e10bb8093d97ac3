/** Why an attempt ended as it did, and what the developer of a receiver can do. */
import type { Hint } from '../errors.ts';
import { type AttemptOutcome, describeOutcome, noResponseOutcomes } from './delivery.ts';
import { type AppliedFault, type FaultKind, isAttemptSent } from './fault.ts';
import { toSentence } from './message-parts.ts';
import { quoteForShell } from './shell.ts';

interface AttemptToExplain {
  readonly outcome: AttemptOutcome;
  readonly response_status: number | null;
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

/**
 * What the outcome of an attempt shows.
 * - `accepted_invalid`: the receiver accepted a delivery that an injected fault made invalid.
 * - `injected_fault`: a fault made the attempt fail: always, or because the receiver rejected what the fault had changed.
 * - `redirect`, `wrong_path`, `rate_limited`: 3xx; 404, 405 or 410; 429.
 * - `rejected`, `receiver_error`: the code of the receiver returned another 4xx or a 5xx, for a reason that only it knows.
 * - The outcomes of an attempt without a complete response.
 */
export const attemptCauses = [
  'delivered',
  'accepted_invalid',
  'injected_fault',
  'redirect',
  'wrong_path',
  'rate_limited',
  'rejected',
  'receiver_error',
  ...noResponseOutcomes,
] as const;
type AttemptCause = (typeof attemptCauses)[number];

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
export function describeCause(
  attempt: AttemptToExplain & { readonly number: number; readonly error: string | null },
): string {
  const { number, outcome, response_status: status, error, fault } = attempt;
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
  const result = isError ? response : toSentence(error ?? describeOutcome(attempt));
  if (cause !== 'injected_fault') return result;
  const effect = isError && isSent ? 'had changed the request' : 'caused this';
  return `${result} The injected fault ${fault?.kind} (${fault?.id}) ${effect}.`;
}

/** The hints about every delivery. The dashboard and the MCP tools omit those for actions that they offer. */
export function toDeliveryHints({ id, webhook_id: webhookId }: Pick<AttemptedDelivery, 'id' | 'webhook_id'>) {
  return {
    enable: { text: 'Enable the endpoint', command: `svc webhooks update ${webhookId} --enable` },
    probe: { text: 'Find the mistake', command: `svc explain ${id} --probe` },
    replay: { text: 'Replay the delivery', command: `svc deliveries replay ${id} --wait` },
    secret: { text: 'Show the current secret', command: `svc webhooks get ${webhookId} --show-secret` },
    show: { text: 'Show the request and response', command: `svc deliveries get ${id}` },
    steps: { text: 'Show the correct steps', command: `svc explain ${id} --steps` },
    verify: {
      text: 'Check the digest that the receiver computes',
      command: `svc verify --delivery ${id} --computed DIGEST`,
    },
  } as const;
}

/**
 * The next steps for the developer of the receiver, the most likely first; none after a correct response.
 * @param isFaultActive whether the fault of the attempt can still be applied
 */
export function findAttemptHints(
  attempt: AttemptToExplain,
  delivery: AttemptedDelivery,
  isFaultActive = true,
): Hint[] {
  const first = findMainHint(attempt, delivery, isFaultActive);
  if (first === null) return [];
  const cause = findCause(attempt);
  const isReceiverDefect = cause === 'rejected' || cause === 'receiver_error';
  const check = {
    text: 'Check how the receiver handles signatures, duplicates and errors',
    command: toCheckCommand(delivery),
  };
  return isReceiverDefect ? [first, check] : [first];
}

function toCheckCommand({ url }: AttemptedDelivery): string {
  return `svc receiver check ${quoteForShell(url)} --secret SECRET`;
}

function findMainHint(
  attempt: AttemptToExplain,
  delivery: AttemptedDelivery,
  isFaultActive: boolean,
): Hint | null {
  const { response_status: status, fault } = attempt;
  const updateUrl = `svc webhooks update ${delivery.webhook_id} --url URL`;
  switch (findCause(attempt)) {
    case 'delivered':
      return null;
    case 'accepted_invalid':
      return {
        text: 'The receiver accepted an invalid delivery. Check it',
        command: toCheckCommand(delivery),
      };
    case 'injected_fault':
      return isFaultActive
        ? {
            text: `Remove the injected fault (${fault?.kind}) that caused this failure`,
            command: `svc faults clear ${fault?.id}`,
          }
        : {
            ...toDeliveryHints(delivery).replay,
            text: `The injected fault (${fault?.kind}) no longer applies. Replay the delivery`,
          };
    case 'redirect':
      return { text: 'Redirects are not followed. Register the final URL', command: updateUrl };
    case 'wrong_path':
      return { text: 'Check the path of the endpoint URL, and correct it', command: updateUrl };
    case 'rate_limited':
      return {
        text: 'Raise the rate limit of the receiver, or replay failed deliveries at a lower rate',
        command: 'svc deliveries replay --failed --rate 5/s',
      };
    case 'rejected':
      return status === 400 || status === 401 || status === 403
        ? {
            text: 'If the receiver rejects the signature, check the digest that it computes',
            command: toDeliveryHints(delivery).verify.command,
          }
        : { text: 'Read the response and the log of the receiver to find out why it rejected the delivery.' };
    case 'receiver_error':
      return { text: 'Read the response and the log of the receiver to find the error.' };
    case 'timeout':
      return { text: 'Return a 2xx response as soon as you have stored the delivery, and process it later.' };
    case 'connection_error':
      return { text: 'Start or fix the receiver, or change the endpoint URL', command: updateUrl };
    case 'dns_error':
      return { text: 'Correct the host name', command: updateUrl };
    case 'tls_error':
      return {
        text: 'Use a certificate for the host name of the receiver, or trust its certificate authority',
        command: 'svc emulator start --ca FILE',
      };
    case 'blocked':
      return {
        text: 'The emulator never connects to this address. Change the endpoint URL',
        command: updateUrl,
      };
  }
}
