/** Why an attempt failed, and what the developer of a receiver can do. */
import { type AttemptOutcome, describeOutcome } from './delivery.ts';
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

/** Why an attempt failed, as a sentence. */
export function describeCause(attempt: AttemptToExplain & { readonly error: string | null }): string {
  const { outcome, response_status: status, error, fault } = attempt;
  // The error of a redirect also says where to.
  const isRedirect = status !== null && status < 400;
  if (outcome !== 'http_error' || isRedirect) return toSentence(error ?? describeOutcome(attempt));
  return isAttemptSent(fault)
    ? `Your receiver returned ${status}.`
    : `An injected fault returned ${status}. Your receiver was not called.`;
}

/**
 * The next steps for the developer of the receiver, the most likely first; none after a correct response.
 * @param isFaultActive whether the fault of the attempt can still be applied
 */
export function findAttemptHints(
  attempt: AttemptToExplain,
  delivery: AttemptedDelivery,
  isFaultActive = true,
): string[] {
  const first = findMainHint(attempt, delivery, isFaultActive);
  if (first === null) return [];
  const isReceiverDefect = isReceiverError(attempt) && !failedByFault(attempt);
  return isReceiverDefect
    ? [first, `Check how the receiver handles signatures, duplicates and errors: ${toCheckCommand(delivery)}`]
    : [first];
}

/**
 * Whether the code of the receiver rejected the delivery or failed. The excluded statuses usually mean a wrong URL or a rate
 * limit.
 */
function isReceiverError({ outcome, response_status: status }: AttemptToExplain): boolean {
  return (
    outcome === 'http_error' && status !== null && status >= 400 && ![404, 405, 410, 429].includes(status)
  );
}

/** Whether an injected fault made the attempt fail: always, or because the receiver rejected what the fault had changed. */
export function failedByFault(attempt: AttemptToExplain): boolean {
  const { fault } = attempt;
  if (fault === undefined) return false;
  return (
    failingFaults.includes(fault.kind) || (rejectedFaults.includes(fault.kind) && isReceiverError(attempt))
  );
}

/** Whether a correct receiver rejects an attempt with this fault. */
export function isInvalidatingFault(fault: AppliedFault | undefined): boolean {
  return fault !== undefined && invalidatingFaults.includes(fault.kind);
}

function toCheckCommand({ url }: AttemptedDelivery): string {
  return `svc receiver check ${quoteForShell(url)} --secret SECRET`;
}

function findMainHint(
  attempt: AttemptToExplain,
  delivery: AttemptedDelivery,
  isFaultActive: boolean,
): string | null {
  const { outcome, response_status: status, fault } = attempt;
  if (outcome === 'succeeded') {
    return isInvalidatingFault(fault)
      ? `Find out why the receiver accepted an invalid delivery: ${toCheckCommand(delivery)}`
      : null;
  }
  if (fault && failedByFault(attempt)) {
    return isFaultActive
      ? `Remove the injected fault (${fault.kind}) that caused this failure: svc faults clear ${fault.id}`
      : `Replay the delivery, because the injected fault (${fault.kind}) no longer applies: svc deliveries replay ${delivery.id}`;
  }
  const updateUrl = (address: string) => `svc webhooks update ${delivery.webhook_id} --url ${address}`;
  switch (outcome) {
    case 'http_error':
      return status === null ? null : hintForStatus(status, delivery.id, updateUrl);
    case 'timeout':
      return 'Return a 2xx response as soon as you have stored the delivery, and process it later.';
    case 'connection_error':
      return `Start or fix the receiver, or change the endpoint URL: ${updateUrl('URL')}`;
    case 'dns_error':
      return `Correct the host name: ${updateUrl('URL')}`;
    case 'tls_error':
      return 'Use a certificate for the host name of the receiver, or trust its certificate authority: svc emulator start --ca FILE';
    case 'blocked':
      return `Change the endpoint URL, because the emulator never connects to this address: ${updateUrl('URL')}`;
  }
}

function hintForStatus(status: number, id: string, updateUrl: (address: string) => string): string {
  if (status < 400) return `Register the final URL, because redirects are not followed: ${updateUrl('URL')}`;
  if (status === 404 || status === 405 || status === 410) {
    return `Check the path of the endpoint URL, and correct it with: ${updateUrl('URL')}`;
  }
  if (status === 400 || status === 401 || status === 403) {
    return `If the receiver rejects the signature, check the digest that it computes: svc verify --delivery ${id} --computed DIGEST`;
  }
  if (status === 429) {
    return 'Raise the rate limit of the receiver, or replay failed deliveries at a lower rate: svc deliveries replay --failed --rate 5/s';
  }
  return status < 500
    ? 'Read the response and the log of the receiver to find out why it rejected the delivery.'
    : 'Read the response and the log of the receiver to find the error.';
}
