/** Schemas of the items and filters of the live stream. */
import * as v from 'valibot';
import { Attempt, Delivery } from './delivery-schemas.ts';
import { Count, idOf } from './fields.ts';
import { DeliveryFilter } from './list-filters.ts';
import { wholeNumberFrom } from './operation.ts';
import { ApiRequest, WebhookDetail } from './resources.ts';

/** One item of the live stream. `sequence` always increases. A client resumes after the last one that it received. */
export const StreamItem = v.variant('type', [
  v.object({ type: v.literal('delivery'), sequence: Count, delivery: Delivery }),
  v.object({ type: v.literal('attempt'), sequence: Count, attempt: Attempt, delivery: Delivery }),
  v.object({ type: v.literal('request'), sequence: Count, request: ApiRequest }),
  /** An endpoint was changed, disabled or enabled, or its secret was rotated. */
  v.object({ type: v.literal('webhook'), sequence: Count, webhook: WebhookDetail }),
  /** A reset or a snapshot has replaced the state. Sent regardless of the filter. */
  v.object({ type: v.literal('reset'), sequence: Count }),
]);

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
  /** Kinds of items (default: all). The field `type` is an event type. */
  types: v.optional(listInText(v.picklist(['delivery', 'attempt', 'request', 'webhook']))),
  /** The endpoints of a `svc listen`: only their deliveries and attempts are sent, and they are kept while the stream is open. */
  listener: v.optional(listInText(idOf('webhook'))),
  since_sequence: v.optional(wholeNumberFrom(0)),
  ...DeliveryFilter,
});

export type StreamItem = v.InferOutput<typeof StreamItem>;
/** The items that a stream can be restricted to. Every stream contains `reset`. */
export type TopicItem = Exclude<StreamItem, { type: 'reset' }>;
export type StreamTopic = TopicItem['type'];
export type StreamInput = v.InferInput<typeof StreamInput>;
