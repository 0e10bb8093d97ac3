/** Operations for deliveries and attempts. */
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

/** An attempt as a receiver has received it. */
const ReceivedAttempt = {
  id: v.string(),
  attempt: v.optional(wholeNumber(1)),
  secrets: v.optional(v.array(v.string())),
  payload_base64: v.optional(v.pipe(v.string(), v.base64('must be base64'))),
  now: v.optional(Timestamp),
  tolerance_ms: v.optional(wholeNumber(0)),
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
      new_id: v.optional(v.boolean()),
      url: v.optional(v.string()),
      body: v.optional(v.string()),
    }),
    output: Delivery,
    status: 202,
    errors: ['validation_failed', 'conflict'],
  },
});
