/** What became of a delivery and why, in the words that the command line has for it too. Pure. */
import type { AttemptDetail, DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import { findAttemptHints } from '../../../domain/attempt-hints.ts';
import { settledReasonDescriptions } from '../../../domain/delivery.ts';

export interface DeliverySummary {
  readonly headline: string;
  /** What went wrong in the last attempt; null where nothing did. */
  readonly reason: string | null;
  /** What verification makes of its signature, where that matters. */
  readonly signature: string | null;
  /** The next steps for who writes the receiver. */
  readonly hints: readonly Hint[];
}

export interface Hint {
  readonly text: string;
  /** What to type into a terminal. */
  readonly command: string | null;
}

export function summarizeDelivery(delivery: DeliveryDetail): DeliverySummary {
  const last = delivery.attempts.at(-1);
  const isFailure = last !== undefined && last.outcome !== 'succeeded';
  return {
    headline: toHeadline(delivery, last),
    reason: isFailure ? toSentence(last.error ?? last.outcome) : null,
    signature: isFailure ? toSignature(last) : null,
    hints: [...toEnableHint(delivery), ...(isFailure ? listHints(last, delivery) : [])],
  };
}

function toHeadline(delivery: DeliveryDetail, last: AttemptDetail | undefined): string {
  const { status, settled_reason: reason } = delivery;
  const because = reason === null ? '' : `: ${settledReasonDescriptions[reason]}`;
  if (status === 'failed') return `It failed${because}.`;
  if (status === 'canceled') return `It was canceled${because}.`;
  if (status === 'succeeded') {
    const first = delivery.attempts.find(({ outcome }) => outcome === 'succeeded');
    return `Delivered by attempt ${first?.number ?? 1}${reason === null ? '' : `; ${settledReasonDescriptions[reason]}`}.`;
  }
  if (delivery.paused) return 'It is paused: its endpoint is disabled.';
  if (last === undefined) return 'It is waiting to be sent.';
  return last.outcome === 'succeeded'
    ? `Attempt ${last.number} succeeded; a replay is waiting to be sent.`
    : `Attempt ${last.number} failed; it is tried again.`;
}

/** A receiver that answers so may reject the signature (§6.4), and one that was sent a wrong one should. */
function toSignature({ verification, response_status: status }: AttemptDetail): string | null {
  if (verification === null || (verification.ok && !isRejection(status))) return null;
  const { ok, reason, detail } = verification;
  return ok ? detail : `The signature is not valid (${reason}): ${detail}`;
}

function toEnableHint({ paused, webhook_id: id }: DeliveryDetail): Hint[] {
  return paused ? [splitHint(`Enable the endpoint: svc webhooks update ${id} --enable`)] : [];
}

function isRejection(status: number | null): boolean {
  return status === 400 || status === 401 || status === 403;
}

function listHints(last: AttemptDetail, delivery: DeliveryDetail): Hint[] {
  // Of a signature that a fault has spoilt there is nothing to mend.
  const ofSignature = last.fault === undefined ? (last.verification?.remedy ?? null) : null;
  const texts = [...(ofSignature === null ? [] : [ofSignature]), ...findAttemptHints(last, delivery)];
  return texts.map(splitHint);
}

/** Remedies end with their command: `Correct the name: svc webhooks update …`. */
export function splitHint(text: string): Hint {
  const [, words, command] = /^(.*?[:?;]) (svc .+)$/s.exec(text) ?? [];
  return words === undefined || command === undefined
    ? { text: text, command: null }
    : { text: words, command };
}

export function toSentence(text: string): string {
  const [first = ''] = text;
  return `${first.toUpperCase()}${text.slice(first.length)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
