import type { AttemptOutcome } from './delivery.ts';
import type { AppliedFault, FaultKind } from './fault.ts';
import { quoteForShell } from './shell.ts';

interface EndedAttempt {
  readonly outcome: AttemptOutcome;
  readonly response_status: number | null;
  readonly fault?: AppliedFault | undefined;
}

/** Faults after which a right receiver refuses the attempt. */
const forging: readonly FaultKind[] = ['tamper-body', 'bad-signature', 'stale-timestamp'];
/** Faults that are enough for an attempt to fail. */
const failing: readonly FaultKind[] = [...forging, 'old-secret', 'drop'];

interface AttemptedDelivery {
  readonly id: string;
  readonly webhook_id: string;
  readonly url: string;
}

/** The next steps for the developer of the receiver, the most likely first; none after a correct response. */
export function findAttemptHints(attempt: EndedAttempt, delivery: AttemptedDelivery): string[] {
  const first = findFirstRemedy(attempt, delivery);
  if (first === null) return [];
  const isReceiversOwn = isRefusal(attempt) && !failedByFault(attempt);
  return isReceiversOwn ? [first, `Test the receiver against every rule: ${toCheck(delivery)}`] : [first];
}

/** Whether the receiver itself, not what is in front of it, refused the delivery or failed. */
function isRefusal({ outcome, response_status: status }: EndedAttempt): boolean {
  return (
    outcome === 'http_error' && status !== null && status >= 400 && ![404, 405, 410, 429].includes(status)
  );
}

function failedByFault({ fault }: EndedAttempt): boolean {
  return fault !== undefined && failing.includes(fault.kind);
}

function toCheck({ url }: AttemptedDelivery): string {
  return `svc receiver check ${quoteForShell(url)} --secret SECRET`;
}

function findFirstRemedy(attempt: EndedAttempt, delivery: AttemptedDelivery): string | null {
  const { outcome, response_status: status, fault } = attempt;
  if (outcome === 'succeeded') {
    return fault && forging.includes(fault.kind)
      ? `The receiver accepted what it has to refuse; find out what it does not verify: ${toCheck(delivery)}`
      : null;
  }
  if (fault && failedByFault(attempt)) {
    return `The fault ${fault.kind} was ordered and did this; to end it: svc faults clear ${fault.id}`;
  }
  const moveTo = (address: string) => `svc webhooks update ${delivery.webhook_id} --url ${address}`;
  switch (outcome) {
    case 'http_error':
      return status === null ? null : remedyForStatus(status, delivery.id, moveTo);
    case 'timeout':
      return 'Answer with a 2xx as soon as the delivery is accepted, and do the work afterwards.';
    case 'connection_error':
      return `Start or correct the receiver, or send to another address: ${moveTo('URL')}`;
    case 'dns_error':
      return `Correct the name: ${moveTo('URL')}`;
    case 'tls_error':
      return 'Give the receiver a certificate for its name, or trust its authority: svc emulator start --ca FILE';
    case 'blocked':
      return `The emulator never connects there; send to another address: ${moveTo('URL')}`;
  }
}

function remedyForStatus(status: number, id: string, moveTo: (address: string) => string): string {
  if (status < 400) return `Register the address that answers itself: ${moveTo('URL')}`;
  if (status === 404 || status === 405 || status === 410) {
    return `Nothing there takes this delivery. Is the path right? ${moveTo('URL')}`;
  }
  if (status === 400 || status === 401 || status === 403) {
    return `If the receiver rejects the signature, find out why with the digest that it computes: svc verify --delivery ${id} --computed DIGEST`;
  }
  if (status === 429) return 'The receiver asks for fewer requests: replay later, with --rate.';
  return status < 500
    ? 'The receiver refused it; its answer and its log say why.'
    : 'The receiver failed; its answer and its log say why.';
}
