/** Schemas of events of the control plane. */
import * as v from 'valibot';
import { Count, idOf } from './fields.ts';
import { Event } from './resources.ts';

const requestId = { request_id: v.nullable(idOf('request')) };

/** An event in a list, without its payload. */
export const EventSummary = v.object({
  ...v.omit(Event, ['payload']).entries,
  ...requestId,
  delivery_counts: v.object({ pending: Count, succeeded: Count, failed: Count, canceled: Count }),
});

export const EventDetail = v.object({
  ...Event.entries,
  ...requestId,
  payload_text: v.string(),
});

export type EventDetail = v.InferOutput<typeof EventDetail>;
export type EventSummary = v.InferOutput<typeof EventSummary>;
