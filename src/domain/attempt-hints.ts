/** Why an attempt failed, and what the developer of a receiver can do. */
import type { Hint } from '../errors.ts';
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

/** The hints about every delivery. A page or a tool that does the same leaves them out. */
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
  const isReceiverDefect = isReceiverError(attempt) && !failedByFault(attempt);
  const check = {
    text: 'Check how the receiver handles signatures, duplicates and errors',
    command: toCheckCommand(delivery),
  };
  return isReceiverDefect ? [first, check] : [first];
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
): Hint | null {
  const { outcome, response_status: status, fault } = attempt;
  if (outcome === 'succeeded') {
    return isInvalidatingFault(fault)
      ? {
          text: 'The receiver accepted an invalid delivery. Check it',
          command: toCheckCommand(delivery),
        }
      : null;
  }
  if (fault && failedByFault(attempt)) {
    return isFaultActive
      ? {
          text: `Remove the injected fault (${fault.kind}) that caused this failure`,
          command: `svc faults clear ${fault.id}`,
        }
      : {
          ...toDeliveryHints(delivery).replay,
          text: `The injected fault (${fault.kind}) no longer applies. Replay the delivery`,
        };
  }
  const updateUrl = `svc webhooks update ${delivery.webhook_id} --url URL`;
  switch (outcome) {
    case 'http_error':
      return status === null ? null : hintForStatus(status, delivery.id, updateUrl);
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

function hintForStatus(status: number, id: string, updateUrl: string): Hint {
  if (status < 400) return { text: 'Redirects are not followed. Register the final URL', command: updateUrl };
  if (status === 404 || status === 405 || status === 410)
    return { text: 'Check the path of the endpoint URL, and correct it', command: updateUrl };
  if (status === 400 || status === 401 || status === 403) {
    return {
      text: 'If the receiver rejects the signature, check the digest that it computes',
      command: `svc verify --delivery ${id} --computed DIGEST`,
    };
  }
  if (status === 429) {
    return {
      text: 'Raise the rate limit of the receiver, or replay failed deliveries at a lower rate',
      command: 'svc deliveries replay --failed --rate 5/s',
    };
  }
  return status < 500
    ? { text: 'Read the response and the log of the receiver to find out why it rejected the delivery.' }
    : { text: 'Read the response and the log of the receiver to find the error.' };
}
