/** Schemas of the items and filters of the live stream. */
import * as v from 'valibot';
import { Attempt } from '../resources/attempt.ts';
import { Delivery, DeliveryFilter, deliveryFilters } from '../resources/delivery.ts';
import { TIME_FORMS } from '../resources/list-fields.ts';
import { ApiRequest, RequestFilter, requestFilters } from '../resources/request.ts';
import { RelativeTime, wholeNumberFrom } from '../resources/value-schemas.ts';
import { Count, described, idOf } from '../resources/values.ts';

const itemFields = {
  sequence: described('Sequence number of the event. Later events have higher numbers.', Count),
};
const typeOf = <Type extends string>(type: Type) => ({
  type: described(
    'Kind of change. `reset` means that all state was replaced: discard the state that your client has stored.',
    v.literal(type),
  ),
});
const deliveryField = {
  delivery: described('Delivery that was created or has settled, or that the attempt belongs to.', Delivery),
};

/** A client resumes after the last sequence number that it received. `reset` is sent regardless of the filter. */
export const StreamItem = described(
  'An event in the live stream.',
  v.variant('type', [
    v.object({ ...typeOf('delivery'), ...itemFields, ...deliveryField }),
    v.object({
      ...typeOf('attempt'),
      ...itemFields,
      attempt: described('Attempt that has ended.', Attempt),
      ...deliveryField,
    }),
    v.object({
      ...typeOf('request'),
      ...itemFields,
      request: described('Request that was logged.', ApiRequest),
    }),
    v.object({ ...typeOf('reset'), ...itemFields }),
  ]),
);

/** A list in a query: `a,b`. */
function listInText<Item extends v.GenericSchema<string>>(item: Item) {
  return v.pipe(
    v.string(),
    v.transform((text) => text.split(',')),
    v.array(item),
  );
}

/** The filter of the live stream, which continues after `since_sequence`, or starts at `since`, or now if both are missing. */
export const StreamInput = v.strictObject({
  types: described(
    'Types of stream events to send, separated by commas: `delivery`, `attempt`, `request` (default: all). `reset` is always sent.',
    v.optional(listInText(v.picklist(['delivery', 'attempt', 'request']))),
  ),
  listener: described(
    'Endpoint IDs, separated by commas. Send only deliveries and attempts of these endpoints. Temporary endpoints among them are not removed while the stream is open.',
    v.optional(listInText(idOf('webhook'))),
  ),
  since_sequence: described('Send only events after this sequence number.', v.optional(wholeNumberFrom(0))),
  ...RequestFilter,
  ...DeliveryFilter,
  status: described(
    {
      summary: 'Only deliveries with this status, or requests with this response status or class',
      detail: 'Every other filter selects the items that have its field, and does not affect the others',
    },
    v.optional(v.union([deliveryFilters.status.schema, requestFilters.status.schema])),
  ),
  since: described(
    `Sends the past changes of deliveries created at or after this schedule time, and the requests received at or after this wall time, followed by new changes (default: only new changes): ${TIME_FORMS}.`,
    v.optional(RelativeTime),
  ),
  until: described(
    `Only deliveries created before this schedule time and requests received before this wall time: ${TIME_FORMS}.`,
    v.optional(RelativeTime),
  ),
});

export type StreamItem = v.InferOutput<typeof StreamItem>;
/** The items that a stream can be restricted to. Every stream contains `reset`. */
export type TopicItem = Exclude<StreamItem, { type: 'reset' }>;
export type StreamTopic = TopicItem['type'];
export type StreamInput = v.InferInput<typeof StreamInput>;
