/** Schemas of the trace of an event. */
import * as v from 'valibot';
import { wholeNumberFrom } from '../validation/value-schemas.ts';
import { AttemptSummary, Delivery } from './delivery-schemas.ts';
import { described, idField, idOf, resource } from './fields.ts';
import { ApiRequest, EventSummary } from './resources.ts';

/** Deliveries in a page of a trace. Fewer than in a list, because each has its attempts. */
export const TRACE_LIMITS = { max: 200, default: 50 };

/** The newest attempts of a delivery that a trace contains. Replays can add any number. */
export const MAX_TRACED_ATTEMPTS = 20;

export const TraceInput = v.strictObject({
  ...idField('ID of the event.', 'event'),
  limit: described(
    'Maximum number of deliveries to return.',
    v.optional(wholeNumberFrom(1, TRACE_LIMITS.max), TRACE_LIMITS.default),
  ),
  starting_after: described(
    'Return the deliveries after this one: the `end_cursor` of the previous page.',
    v.optional(v.string()),
  ),
});

export const DeliveryTrace = resource('A delivery in a trace, with its attempts.', {
  ...Delivery.entries,
  attempts: described('Newest attempts in order, without requests and responses.', v.array(AttemptSummary)),
});

export const EventTrace = resource('What happened to an event.', {
  event: described('The event.', EventSummary),
  request: described(
    'The `/v1` request that created the event. `null` if no request created it, or if the request is no longer in the request log.',
    v.nullable(ApiRequest),
  ),
  deliveries: described('A page of the deliveries of the event, oldest first.', v.array(DeliveryTrace)),
  has_more: described('Whether the event has more deliveries.', v.boolean()),
  end_cursor: described(
    'ID of the last delivery, for `starting_after`. `null` without deliveries.',
    v.nullable(idOf('delivery')),
  ),
});

export type DeliveryTrace = v.InferOutput<typeof DeliveryTrace>;
export type EventTrace = v.InferOutput<typeof EventTrace>;
