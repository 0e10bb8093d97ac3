/**
 * Schemas of the overview and the endpoint pages: aggregates that the emulator computes from deliveries and attempts.
 * `openapi-schema-texts.ts` describes each field.
 */
import * as v from 'valibot';
import { AttemptSummary, Delivery } from './delivery-schemas.ts';
import { Fault } from './fault-schemas.ts';
import { Count, idOf, Timestamp } from './fields.ts';
import { WebhookDetail } from './resources.ts';

/** Which time orders the attempts of the overview. */
export const overviewClocks = ['wall', 'schedule'] as const;

/** The deliveries that have not succeeded. `pending` includes those that are failing or paused. */
export const DeliveryStatusCounts = v.object({
  pending: Count,
  failing: Count,
  paused: Count,
  failed: Count,
  canceled: Count,
});

/** Attempts that were made in a part of the period. */
export const AttemptBucket = v.object({
  starts_at: Timestamp,
  succeeded: Count,
  failed: Count,
  /** Those that are not the first attempt of their delivery. */
  retried: Count,
});

/** Results of the newest attempts to an endpoint. */
const AttemptResults = { attempts: Count, succeeded: Count, p95_ms: v.nullable(v.number()) };

/** An endpoint and the results of its newest attempts. */
export const EndpointSummary = v.object({
  webhook_id: idOf('webhook'),
  url: v.string(),
  disabled: v.boolean(),
  ...AttemptResults,
  last_failure: v.nullable(AttemptSummary),
  next_attempt_at: v.nullable(Timestamp),
});

export const WebhookStatistics = v.object({
  ...AttemptResults,
  p50_ms: v.nullable(v.number()),
  max_ms: v.nullable(v.number()),
  last_attempt_at: v.nullable(Timestamp),
  recent_attempts: v.array(v.pick(AttemptSummary, ['outcome', 'duration_ms'])),
});

/** `statistics` is missing unless the request has `recent_attempts`. */
export const WebhookWithStatistics = v.object({
  ...WebhookDetail.entries,
  statistics: v.optional(WebhookStatistics),
});

export const Overview = v.object({
  workspace_id: idOf('workspace'),
  clock: v.picklist(overviewClocks),
  bucket_ms: Count,
  ends_at: Timestamp,
  buckets: v.array(AttemptBucket),
  has_deliveries: v.boolean(),
  delivery_counts: DeliveryStatusCounts,
  endpoints: v.array(EndpointSummary),
  has_more_endpoints: v.boolean(),
  due: v.array(Delivery),
  faults: v.array(Fault),
});

export type AttemptBucket = v.InferOutput<typeof AttemptBucket>;
export type DeliveryStatusCounts = v.InferOutput<typeof DeliveryStatusCounts>;
export type EndpointSummary = v.InferOutput<typeof EndpointSummary>;
export type WebhookStatistics = v.InferOutput<typeof WebhookStatistics>;
export type WebhookWithStatistics = v.InferOutput<typeof WebhookWithStatistics>;
export type Overview = v.InferOutput<typeof Overview>;
