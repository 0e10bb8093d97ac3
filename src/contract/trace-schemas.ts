/** Schemas of the trace of an event. */
import * as v from 'valibot';
import { AttemptSummary, Delivery } from './delivery-schemas.ts';
import { idOf } from './fields.ts';
import { wholeNumberFrom } from './operation.ts';
import { ApiRequest, EventSummary } from './resources.ts';

/** Deliveries in a page of a trace. Fewer than in a list, because each has its attempts. */
export const TRACE_LIMITS = { max: 200, default: 50 };

/** The newest attempts of a delivery that a trace contains. Replays can add any number. */
export const MAX_TRACED_ATTEMPTS = 20;

export const TraceInput = v.strictObject({
  id: v.string(),
  limit: v.optional(wholeNumberFrom(1, TRACE_LIMITS.max), TRACE_LIMITS.default),
  starting_after: v.optional(v.string()),
});

export const DeliveryTrace = v.object({
  ...Delivery.entries,
  attempts: v.array(AttemptSummary),
});

/** A page of the deliveries of an event, with what caused them and what they caused. Oldest first. */
export const EventTrace = v.object({
  event: EventSummary,
  request: v.nullable(ApiRequest),
  deliveries: v.array(DeliveryTrace),
  has_more: v.boolean(),
  end_cursor: v.nullable(idOf('delivery')),
});

export type DeliveryTrace = v.InferOutput<typeof DeliveryTrace>;
export type EventTrace = v.InferOutput<typeof EventTrace>;
