/** Summarizes the result of a delivery with the hints of the command line. */
import type { AttemptDetail, DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import { describeState } from '../../../control/describe-delivery.ts';
import { describeCause, findAttemptHints } from '../../../domain/attempt-hints.ts';
import { type Hint, splitHint } from '../../../domain/next-step.ts';

interface DeliverySummary {
  readonly headline: string;
  /** The error of the last attempt; null when it succeeded. */
  readonly reason: string | null;
  /** The first lines of the response to a failed attempt; null when there is no text. */
  readonly responseExcerpt: string | null;
  /** The result of signature verification; null when it cannot explain the failure. */
  readonly signature: string | null;
  readonly hints: readonly Hint[];
}

/** @param isFaultActive whether the fault of the last attempt can still be applied */
export function summarizeDelivery(delivery: DeliveryDetail, isFaultActive = true): DeliverySummary {
  const last = delivery.attempts.at(-1);
  const isFailure = last !== undefined && last.outcome !== 'succeeded';
  return {
    headline: describeState(delivery, delivery.attempts),
    reason: isFailure ? describeCause(last) : null,
    responseExcerpt: isFailure ? toResponseExcerpt(last) : null,
    signature: isFailure ? toSignature(last) : null,
    hints: [...toEnableHint(delivery), ...(isFailure ? listHints(last, delivery, isFaultActive) : [])],
  };
}

const MAX_EXCERPT_LINES = 3;
const MAX_EXCERPT_CHARACTERS = 300;

function toResponseExcerpt({ response }: AttemptDetail): string | null {
  if (response === null || response.encoding !== 'utf8') return null;
  const body = response.body.trim();
  const lines = body.split('\n', MAX_EXCERPT_LINES).join('\n').slice(0, MAX_EXCERPT_CHARACTERS);
  if (lines === '') return null;
  return lines.length < body.length ? `${lines}…` : lines;
}

function toSignature({ verification, response_status: status }: AttemptDetail): string | null {
  if (verification === null || (verification.ok && !mayRejectSignature(status))) return null;
  return verification.detail;
}

function toEnableHint({ paused, webhook_id: id }: DeliveryDetail): Hint[] {
  return paused ? [splitHint(`Enable the endpoint: svc webhooks update ${id} --enable`)] : [];
}

/** Whether a receiver may return this status because it considers the signature invalid (§6.4). */
function mayRejectSignature(status: number | null): boolean {
  return status === 400 || status === 401 || status === 403;
}

function listHints(last: AttemptDetail, delivery: DeliveryDetail, isFaultActive: boolean): Hint[] {
  // A signature that a fault invalidated needs no fix.
  const signatureHint = last.fault === undefined ? (last.verification?.remedy ?? null) : null;
  const texts = [
    ...(signatureHint === null ? [] : [signatureHint]),
    ...findAttemptHints(last, delivery, isFaultActive),
  ];
  return texts.map(splitHint);
}
