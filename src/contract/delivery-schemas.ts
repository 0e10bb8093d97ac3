/** Schemas of deliveries, attempts and signatures. `openapi-schema-texts.ts` describes each field. */
import * as v from 'valibot';
import { attemptOutcomes, attemptTriggers, deliveryStatuses, settledReasons } from '../domain/delivery.ts';
import { digestOnlyReasons, refusalReasons } from '../domain/signature/refusals.ts';
import { signedParts } from '../domain/signature/scheme.ts';
import { faultField } from './fault-schemas.ts';
import { Count, Headers, idOf, Timestamp } from './fields.ts';

const PhaseDuration = v.nullable(v.pipe(v.number(), v.minValue(0)));

/** How long each phase of an attempt took, in real time. */
export const AttemptPhases = v.object({
  queued_ms: v.pipe(v.number(), v.minValue(0)),
  reused_connection: v.boolean(),
  dns_ms: PhaseDuration,
  connect_ms: PhaseDuration,
  tls_ms: PhaseDuration,
  send_ms: PhaseDuration,
  wait_ms: PhaseDuration,
  receive_ms: PhaseDuration,
});

export const Attempt = v.object({
  id: v.string(),
  number: v.pipe(v.number(), v.integer(), v.minValue(1)),
  trigger: v.picklist(attemptTriggers),
  scheduled_at: Timestamp,
  sent_at: Timestamp,
  duration_ms: v.number(),
  outcome: v.picklist(attemptOutcomes),
  response_status: v.nullable(v.number()),
  error: v.nullable(v.string()),
  phases: v.nullable(AttemptPhases),
  ...faultField,
  request: v.object({
    url: v.string(),
    headers: Headers,
    body: v.string(),
    signed_content: v.string(),
  }),
  response: v.nullable(
    v.object({
      headers: Headers,
      body: v.string(),
      encoding: v.picklist(['utf8', 'base64']),
      truncated: v.boolean(),
    }),
  ),
});

/** The fields of its last attempt that a delivery contains. */
const AttemptResult = v.pick(Attempt, ['number', 'outcome', 'response_status', 'error']);

export const Delivery = v.object({
  id: idOf('delivery'),
  event_id: idOf('event'),
  event_type: v.string(),
  workspace_id: idOf('workspace'),
  webhook_id: idOf('webhook'),
  url: v.string(),
  status: v.picklist(deliveryStatuses),
  settled_reason: v.nullable(v.picklist(settledReasons)),
  /** A paused delivery still fails at the end of its retry window, unless a replay waits. */
  paused: v.boolean(),
  attempt_count: Count,
  last_attempt: v.nullable(AttemptResult),
  next_attempt_at: v.nullable(Timestamp),
  created_at: Timestamp,
  settled_at: v.nullable(Timestamp),
  replay_of: v.nullable(idOf('delivery')),
});

/** The result of verification, as `svc verify` prints it. */
export const Verification = v.object({
  ok: v.boolean(),
  reason: v.nullable(v.picklist([...refusalReasons, ...digestOnlyReasons])),
  detail: v.string(),
  remedy: v.nullable(v.string()),
  scheme: v.string(),
});

export const AttemptDetail = v.object({
  ...Attempt.entries,
  verification: v.nullable(Verification),
});
export const DeliveryDetail = v.object({
  ...Delivery.entries,
  attempts: v.array(AttemptDetail),
  /** Due times of the remaining attempts, if all fail: those after the next without jitter and `Retry-After`. At most 100. */
  planned_attempts: v.array(Timestamp),
});

export const AttemptSummary = v.object({
  ...v.omit(Attempt, ['request', 'response']).entries,
  delivery_id: idOf('delivery'),
  event_type: v.string(),
  webhook_id: idOf('webhook'),
});

const SignedParts = v.array(v.object({ part: v.picklist(signedParts), text: v.string() }));

/** Explains the signature of an attempt. */
export const SignatureDetail = v.object({
  scheme: v.string(),
  attempt: Count,
  headers: Headers,
  signed_parts: SignedParts,
  secrets: v.array(
    v.object({
      name: v.picklist(['current', 'previous']),
      masked: v.string(),
      signature: v.string(),
      matches: v.boolean(),
    }),
  ),
  verification: v.nullable(Verification),
  /**
   * For a receiver that parses the body and serializes it again before verifying; null if this does not change the body, or it is
   * not JSON.
   */
  reserialized: v.nullable(
    v.object({
      body: v.string(),
      signature: v.string(),
      matches: v.boolean(),
      differs_at: Count,
    }),
  ),
});

/** The steps of the verification of an attempt. */
export const SignatureCheck = v.object({
  signed_parts: SignedParts,
  signatures: v.array(v.object({ signature: v.string(), matches: v.boolean() })),
  verification: Verification,
});

export type AttemptPhases = v.InferOutput<typeof AttemptPhases>;
export type Attempt = v.InferOutput<typeof Attempt>;
export type AttemptDetail = v.InferOutput<typeof AttemptDetail>;
export type AttemptSummary = v.InferOutput<typeof AttemptSummary>;
export type Delivery = v.InferOutput<typeof Delivery>;
export type DeliveryDetail = v.InferOutput<typeof DeliveryDetail>;
export type Verification = v.InferOutput<typeof Verification>;
export type SignatureCheck = v.InferOutput<typeof SignatureCheck>;
export type SignatureDetail = v.InferOutput<typeof SignatureDetail>;
