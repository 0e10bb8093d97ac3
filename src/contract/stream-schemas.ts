/** The live stream: its items, and what it can be narrowed to. */
import * as v from 'valibot';
import { Attempt, Delivery } from './delivery-schemas.ts';
import { Count, idOf } from './fields.ts';
import { DeliveryFilter } from './list-filters.ts';
import { wholeNumber } from './operation.ts';
import { ApiRequest } from './resources.ts';

/** One item of the live stream. `sequence` only grows; the stream resumes after the last one seen. */
export const StreamItem = v.variant('type', [
  v.object({ type: v.literal('delivery'), sequence: Count, delivery: Delivery }),
  v.object({ type: v.literal('attempt'), sequence: Count, attempt: Attempt, delivery: Delivery }),
  v.object({ type: v.literal('request'), sequence: Count, request: ApiRequest }),
  /** The state was replaced, by a reset or a snapshot: what was told before may be no more, whatever was asked for. */
  v.object({ type: v.literal('reset'), sequence: Count }),
]);

/** `a,b`, as a query carries it. */
function listInText<Item extends v.GenericSchema<string>>(item: Item) {
  return v.pipe(
    v.string(),
    v.transform((text) => text.split(',')),
    v.array(item),
  );
}

/** What the live stream can be narrowed to. `since_sequence` is where to go on; without it the stream starts now. */
export const StreamInput = v.strictObject({
  types: v.optional(listInText(v.picklist(['delivery', 'attempt', 'request']))),
  /** Endpoints that the follower listens for: only what concerns them is shown, and they stay as long as it follows. */
  listener: v.optional(listInText(idOf('webhook'))),
  since_sequence: v.optional(wholeNumber(0)),
  ...DeliveryFilter,
});

export type StreamItem = v.InferOutput<typeof StreamItem>;
/** What a stream can be narrowed to; a `reset` is told in every one. */
export type TopicItem = Exclude<StreamItem, { type: 'reset' }>;
export type StreamTopic = TopicItem['type'];
export type StreamInput = v.InferInput<typeof StreamInput>;
