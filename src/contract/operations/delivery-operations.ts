/** Deliveries. */
import * as v from 'valibot';
import {
  AttemptSummary,
  Delivery,
  DeliveryDetail,
  SignatureCheck,
  SignatureDetail,
  Verification,
} from '../delivery-schemas.ts';
import { Timestamp } from '../fields.ts';
import { AttemptFilter, DeliveryFilter, Limit, PageFields, WorkspaceFilter } from '../list-filters.ts';
import { defineOperations, wholeNumber } from '../operation.ts';
import { pageOf } from '../resources.ts';

/** An attempt as a receiver has it before itself. */
const ReceivedAttempt = {
  id: v.string(),
  /** Number of the attempt; the last one when left out. */
  attempt: v.optional(wholeNumber(1)),
  /** What the receiver verifies with; the secrets of the endpoint when left out. */
  secrets: v.optional(v.array(v.string())),
  /** The body as the receiver has it, in base64; as it was sent when left out. */
  payload_base64: v.optional(v.pipe(v.string(), v.base64('must be base64'))),
  /** The time to judge at; that of the attempt when left out. */
  now: v.optional(Timestamp),
  tolerance_ms: v.optional(wholeNumber(0)),
  /**
   * The digest that the receiver computed, with or without the prefix of the header. `verification` then says which
   * mistake leads to it, and looks at neither `now` nor `tolerance_ms`.
   */
  computed: v.optional(
    v.pipe(
      v.string(),
      v.trim(),
      v.minLength(1, 'must not be empty'),
      v.maxLength(512, 'must be at most 512 characters long'),
    ),
  ),
};

export const deliveryOperations = defineOperations({
  listDeliveries: {
    method: 'GET',
    path: '/deliveries',
    input: v.strictObject({ ...PageFields, ...DeliveryFilter }),
    output: pageOf(Delivery),
    status: 200,
  },
  listDue: {
    method: 'GET',
    path: '/deliveries/due',
    input: v.strictObject({ ...WorkspaceFilter, limit: Limit }),
    output: v.object({ data: v.array(Delivery) }),
    status: 200,
  },
  listAttempts: {
    method: 'GET',
    path: '/attempts',
    input: v.strictObject({ ...PageFields, ...AttemptFilter }),
    output: pageOf(AttemptSummary),
    status: 200,
  },
  getDelivery: {
    method: 'GET',
    path: '/deliveries/{id}',
    input: v.strictObject({ id: v.string() }),
    output: DeliveryDetail,
    status: 200,
  },
  describeSignature: {
    method: 'GET',
    path: '/deliveries/{id}/signature',
    input: v.strictObject({
      id: v.string(),
      /** Number of the attempt; the last one when left out. */
      attempt: v.optional(wholeNumber(1)),
    }),
    output: SignatureDetail,
    status: 200,
  },
  checkSignature: {
    method: 'POST',
    path: '/deliveries/{id}/check-signature',
    input: v.strictObject(ReceivedAttempt),
    output: SignatureCheck,
    status: 200,
  },
  verifyDelivery: {
    method: 'POST',
    path: '/deliveries/{id}/verify',
    input: v.strictObject(ReceivedAttempt),
    output: Verification,
    status: 200,
  },
  replayDelivery: {
    method: 'POST',
    path: '/deliveries/{id}/replay',
    input: v.strictObject({
      id: v.string(),
      /** A new delivery with `replay_of` instead of a new attempt. */
      new_id: v.optional(v.boolean()),
      /** Another address; makes a new delivery. */
      url: v.optional(v.string()),
      /** Another body, as JSON text; makes a new delivery. */
      body: v.optional(v.string()),
    }),
    output: Delivery,
    status: 202,
    errors: ['validation_failed', 'conflict'],
  },
});
