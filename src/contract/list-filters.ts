/** What lists and the live stream can be narrowed to. */
import * as v from 'valibot';
import { displayStatuses } from '../domain/delivery.ts';
import { parseRelativeTime } from '../domain/relative-time.ts';
import { idOf } from './fields.ts';
import { wholeNumber } from './operation.ts';

export const Limit = v.optional(wholeNumber(1, 1000), 50);

/** A point in time: ISO 8601, or a duration before now such as `1h`. */
const RelativeTime = v.pipe(
  v.string(),
  v.check((text) => !Number.isNaN(parseRelativeTime(text, 0)), 'must be a duration (1h) or an ISO 8601 time'),
);

/** A part of a list (§2), newest first. */
export const PageFields = { limit: Limit, starting_after: v.optional(v.string()) };
export const WorkspaceFilter = { workspace_id: v.optional(idOf('workspace')) };

const Text = v.pipe(v.string(), v.maxLength(1000, 'must be at most 1000 characters long'));

/** What happened from `since` on, and before `until`. */
const TimeRange = { since: v.optional(RelativeTime), until: v.optional(RelativeTime) };

export const EventFilter = {
  ...WorkspaceFilter,
  type: v.optional(v.string()),
  /** What the id, the type or the payload has in it, in whatever case. */
  text: v.optional(Text),
  ...TimeRange,
};

export const DeliveryFilter = {
  ...WorkspaceFilter,
  /** `pending` includes paused deliveries; `paused` selects only those. */
  status: v.optional(v.picklist(displayStatuses)),
  event_id: v.optional(idOf('event')),
  type: v.optional(v.string()),
  webhook_id: v.optional(idOf('webhook')),
  /** What an id, the type, the address or the body has in it, in whatever case. */
  text: v.optional(Text),
  ...TimeRange,
};

export const AttemptFilter = {
  ...WorkspaceFilter,
  webhook_id: v.optional(idOf('webhook')),
  delivery_id: v.optional(idOf('delivery')),
  /** Wall time from which on they were sent. */
  since: v.optional(RelativeTime),
};

export const RequestFilter = {
  ...WorkspaceFilter,
  method: v.optional(v.pipe(v.string(), v.toUpperCase())),
  /** Prefix of the path. */
  path: v.optional(v.string()),
  /** 0 for requests whose connection was dropped. */
  status: v.optional(wholeNumber(0, 599)),
  api_key_id: v.optional(idOf('apiKey')),
  request_id: v.optional(idOf('request')),
  /** What they created, read, changed or deleted. */
  resource_id: v.optional(v.string()),
  /** Requests that took at least so long to answer. */
  min_duration_ms: v.optional(wholeNumber(0)),
  since: v.optional(RelativeTime),
};
