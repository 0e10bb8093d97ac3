/** Events as the control plane shows them. */
import * as v from 'valibot';
import { Count, idOf } from './fields.ts';
import { Event } from './resources.ts';

/** The request to `/v1` that created it; null where none did, or the log has it no more. */
const requestId = { request_id: v.nullable(idOf('request')) };

/** An event in a list of many: without its payload. */
export const EventSummary = v.object({
  ...v.omit(Event, ['payload']).entries,
  ...requestId,
  delivery_counts: v.object({ pending: Count, succeeded: Count, failed: Count, canceled: Count }),
});

export const EventDetail = v.object({
  ...Event.entries,
  ...requestId,
  /** The payload as JSON text, with its numbers as they were written. */
  payload_text: v.string(),
});

export type EventDetail = v.InferOutput<typeof EventDetail>;
export type EventSummary = v.InferOutput<typeof EventSummary>;
