/** Deliveries and their attempts. */
import * as v from 'valibot';
import { attemptOutcomes, attemptTriggers, deliveryStatuses, settledReasons } from '../domain/delivery.ts';
import { digestMistakes, refusalReasons } from '../domain/signature/refusals.ts';
import { signedParts } from '../domain/signature/scheme.ts';
import { faultField } from './fault-schemas.ts';
import { Count, Headers, idOf, Timestamp } from './fields.ts';

export const Attempt = v.object({
  id: v.string(),
  number: v.pipe(v.number(), v.integer(), v.minValue(1)),
  trigger: v.picklist(attemptTriggers),
  /** Schedule time at which it was due. */
  scheduled_at: Timestamp,
  /** Wall time at which it was sent. */
  sent_at: Timestamp,
  duration_ms: v.number(),
  outcome: v.picklist(attemptOutcomes),
  response_status: v.nullable(v.number()),
  /** What went wrong, in words; null on success. */
  error: v.nullable(v.string()),
  ...faultField,
  request: v.object({
    url: v.string(),
    headers: Headers,
    body: v.string(),
    /** The string that the signature in the headers covers. */
    signed_content: v.string(),
  }),
  response: v.nullable(
    v.object({
      headers: Headers,
      /** Text, or base64 where `encoding` says so. */
      body: v.string(),
      encoding: v.picklist(['utf8', 'base64']),
      truncated: v.boolean(),
    }),
  ),
});

export const Delivery = v.object({
  id: idOf('delivery'),
  event_id: idOf('event'),
  event_type: v.string(),
  workspace_id: idOf('workspace'),
  webhook_id: idOf('webhook'),
  url: v.string(),
  status: v.picklist(deliveryStatuses),
  /** Why it stopped without success; null otherwise. */
  settled_reason: v.nullable(v.picklist(settledReasons)),
  /** Whether it is pending and its endpoint is disabled: nothing is sent, and it ends when its retry window does. */
  paused: v.boolean(),
  attempt_count: Count,
  /** Schedule time of the next attempt; null when none is planned. */
  next_attempt_at: v.nullable(Timestamp),
  created_at: Timestamp,
  settled_at: v.nullable(Timestamp),
  replay_of: v.nullable(idOf('delivery')),
});

/** What verification came to, in the words of `svc verify`. */
export const Verification = v.object({
  ok: v.boolean(),
  /** Why it was refused; null when it was not. */
  reason: v.nullable(v.picklist([...refusalReasons, ...digestMistakes])),
  detail: v.string(),
  /** What to do about it; null when it was not refused. */
  remedy: v.nullable(v.string()),
  scheme: v.string(),
});

export const AttemptDetail = v.object({
  ...Attempt.entries,
  /** What a receiver with the right secret finds; null where that secret, or the scheme, is no longer known. */
  verification: v.nullable(Verification),
});
export const DeliveryDetail = v.object({
  ...Delivery.entries,
  attempts: v.array(AttemptDetail),
  /**
   * Schedule times of the attempts still to come if every one fails, the first being `next_attempt_at`: by the retry
   * schedule alone, without jitter and `Retry-After`. At most a hundred; none once it has settled.
   */
  planned_attempts: v.array(Timestamp),
});

/** An attempt in a list of many: without what was sent and answered. */
export const AttemptSummary = v.object({
  ...v.omit(Attempt, ['request', 'response']).entries,
  delivery_id: idOf('delivery'),
  event_type: v.string(),
  webhook_id: idOf('webhook'),
});

/** The string that is signed, in its pieces. */
const SignedParts = v.array(v.object({ part: v.picklist(signedParts), text: v.string() }));

/** The signature of an attempt, taken apart. */
export const SignatureDetail = v.object({
  scheme: v.string(),
  /** Number of the attempt. */
  attempt: Count,
  /** Those of its headers that the scheme has to do with, as they were sent. */
  headers: Headers,
  signed_parts: SignedParts,
  secrets: v.array(
    v.object({
      name: v.picklist(['current', 'previous']),
      masked: v.string(),
      /** What it makes of that string, as it stands in the header. */
      signature: v.string(),
      /** Whether the header has it. */
      matches: v.boolean(),
    }),
  ),
  /** What a receiver with the right secret finds; null where that secret, or the scheme, is no longer known. */
  verification: v.nullable(Verification),
  /** What a receiver finds that parses the body and writes it again; null where that gives the very same bytes. */
  reserialised: v.nullable(
    v.object({
      body: v.string(),
      signature: v.string(),
      matches: v.boolean(),
      /** The first character, counted from 0, that is not as it was sent. */
      differs_at: Count,
    }),
  ),
});

/** What a receiver does to verify an attempt. */
export const SignatureCheck = v.object({
  /** The string that it puts together, of its own body and of the headers. */
  signed_parts: SignedParts,
  /** What each of its secrets makes of that string, and whether the header has it. */
  signatures: v.array(v.object({ signature: v.string(), matches: v.boolean() })),
  verification: Verification,
});

export type Attempt = v.InferOutput<typeof Attempt>;
export type AttemptDetail = v.InferOutput<typeof AttemptDetail>;
export type AttemptSummary = v.InferOutput<typeof AttemptSummary>;
export type Delivery = v.InferOutput<typeof Delivery>;
export type DeliveryDetail = v.InferOutput<typeof DeliveryDetail>;
export type Verification = v.InferOutput<typeof Verification>;
export type SignatureCheck = v.InferOutput<typeof SignatureCheck>;
export type SignatureDetail = v.InferOutput<typeof SignatureDetail>;
