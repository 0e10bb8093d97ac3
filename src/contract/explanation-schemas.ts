/** The schema of the verdict on a delivery. `openapi-schema-texts.ts` describes each field. */
import * as v from 'valibot';
import { noResponseOutcomes } from '../domain/delivery.ts';
import { digestOnlyReasons, refusalReasons } from '../domain/signature/refusals.ts';
import { Attempt, Delivery, Verification } from './delivery-schemas.ts';

/**
 * Why a delivery is in its state.
 * - `delivered`, `not_sent`, `paused`, `canceled`: it did not fail.
 * - `accepted_invalid`: the receiver accepted a delivery that an injected fault made invalid.
 * - `injected_fault`: a fault made the attempt fail.
 * - `secret_changed`: the receiver may have rejected the signature, and the endpoint secret or the scheme was changed since.
 * - `signature_rejected`: the receiver rejected the signature, or probably did.
 * - `receiver_clock`: the clock of the receiver differs by more than the tolerance.
 * - `duplicate_rejected`: the receiver accepted the delivery before, and failed when it came again.
 * - `rejected`, `receiver_error`: the receiver returned a 4xx or a 5xx for a reason that only it knows.
 * - `wrong_path`, `rate_limited`, `redirect`: 404, 405 or 410; 429; 3xx.
 * - The outcomes of an attempt without a complete response.
 */
const deliveryCauses = [
  'delivered',
  'not_sent',
  'paused',
  'canceled',
  'accepted_invalid',
  'injected_fault',
  'secret_changed',
  'signature_rejected',
  'receiver_clock',
  'duplicate_rejected',
  'rejected',
  'receiver_error',
  'wrong_path',
  'rate_limited',
  'redirect',
  ...noResponseOutcomes,
] as const;

export const Explanation = v.object({
  delivery: Delivery,
  attempt: v.nullable(
    v.object({
      ...v.pick(Attempt, ['number', 'trigger', 'sent_at', 'duration_ms', 'outcome']).entries,
      ...v.pick(Attempt, ['response_status', 'error', 'fault']).entries,
      response_body: v.nullable(v.string()),
    }),
  ),
  summary: v.string(),
  cause: v.picklist(deliveryCauses),
  /** `certain`: recorded or reported. `likely`: the best explanation of what was recorded. */
  certainty: v.picklist(['certain', 'likely']),
  detail: v.string(),
  /** What the receiver does wrong with the signature; null if that is not known. */
  mistake: v.nullable(
    v.object({
      reason: v.picklist([...refusalReasons, ...digestOnlyReasons, 'header_not_split']),
      detail: v.string(),
      remedy: v.string(),
    }),
  ),
  /** Facts. They exclude nothing about the receiver of today, which may have been changed or restarted. */
  evidence: v.array(v.string()),
  /** How a correct receiver verifies the attempt; null unless the signature matters. */
  signature: v.nullable(
    v.object({
      scheme: v.string(),
      steps: v.array(v.object({ step: v.string(), value: v.string() })),
      verification: v.nullable(Verification),
    }),
  ),
  remedy: v.nullable(v.string()),
  /** At most three. */
  next: v.array(v.object({ purpose: v.string(), command: v.string() })),
});

export type Explanation = v.InferOutput<typeof Explanation>;
export type DeliveryCause = (typeof deliveryCauses)[number];
