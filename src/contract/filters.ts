/** What lists and the live stream can be narrowed to. */
import * as v from 'valibot';
import { deliveryStatuses } from '../domain/delivery.ts';
import { parseDuration } from '../domain/duration.ts';
import { idOf } from './fields.ts';
import { wholeNumber } from './operation.ts';

const Limit = v.optional(wholeNumber(1, 1000), 50);

/** A point in time: ISO 8601, or a duration before now such as `1h`. */
const Since = v.pipe(
  v.string(),
  v.check(
    (text) => parseDuration(text) !== null || !Number.isNaN(Date.parse(text)),
    'must be a duration (1h) or an ISO 8601 time',
  ),
);

/** A part of a list (§2), newest first. */
export const page = { limit: Limit, starting_after: v.optional(v.string()) };
export const ofWorkspace = { workspace_id: v.optional(idOf('workspace')) };

export const DeliveryFilter = {
  ...ofWorkspace,
  status: v.optional(v.picklist(deliveryStatuses)),
  event_id: v.optional(idOf('event')),
  type: v.optional(v.string()),
  webhook_id: v.optional(idOf('webhook')),
  since: v.optional(Since),
};

export const RequestFilter = {
  ...ofWorkspace,
  method: v.optional(v.pipe(v.string(), v.toUpperCase())),
  /** Prefix of the path. */
  path: v.optional(v.string()),
  status: v.optional(wholeNumber(100, 599)),
  api_key_id: v.optional(idOf('apiKey')),
  request_id: v.optional(idOf('request')),
  /** Requests that took at least so long to answer. */
  min_duration_ms: v.optional(wholeNumber(0)),
  since: v.optional(Since),
};
