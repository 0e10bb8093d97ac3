/** Filters of lists and of the live stream: their schemas, and what the filter of deliveries means. */
import * as v from 'valibot';
import { deliveryStatusFilters, getDisplayStatus } from '../domain/delivery.ts';
import { isId, toExampleId } from '../domain/ids.ts';
import { matchesStatus, statusClasses } from '../domain/status-filter.ts';
import { expecting, RelativeTime, wholeNumberFrom } from '../validation/value-schemas.ts';
import type { Delivery } from './delivery-schemas.ts';
import { described, idOf } from './fields.ts';
import type { ApiRequest } from './resources.ts';

export const Limit = described('Maximum number of items.', v.optional(wholeNumberFrom(1, 1000), 50), 10);

export const TIME_FORMS = 'ISO 8601, or a duration before now, such as `1h`';

/** Which page of a list to return (§2). */
export const PageFields = {
  limit: Limit,
  starting_after: described(
    '`end_cursor` of the previous page (default: first page).',
    v.optional(v.string()),
  ),
};
export const WorkspaceFilter = {
  workspace_id: described('Only items in this workspace (default: all).', v.optional(idOf('workspace'))),
};
/** The workspace of an operation that concerns exactly one. */
export const DefaultWorkspace = {
  workspace_id: described('ID of the workspace (default: the default one).', v.optional(idOf('workspace'))),
};

const NonEmptyText = v.pipe(v.string(), v.minLength(1, 'must not be empty'));

const Text = v.optional(v.pipe(v.string(), v.maxLength(1000, 'must be at most 1000 characters long')));

/** From `since`, which is included, to `until`, which is not. */
const TimeRange = {
  since: described(
    `Only items created at or after this schedule time: ${TIME_FORMS}.`,
    v.optional(RelativeTime),
    '1h',
  ),
  until: described(`Only items created before this schedule time: ${TIME_FORMS}.`, v.optional(RelativeTime)),
};

export const EventFilter = {
  ...WorkspaceFilter,
  type: described('Only events of this type.', v.optional(NonEmptyText)),
  text: described(
    'Only events with this text in the ID, type or payload. Case-insensitive for the letters A to Z.',
    Text,
  ),
  ...TimeRange,
};

/** One of the words, in any case. */
const wordOf = <const Words extends readonly string[]>(words: Words) =>
  v.pipe(v.string(), v.metadata({ jsonSchema: { enum: words } }), v.toLowerCase(), v.picklist(words));

/** `none` means that the last attempt got no response. */
const ResponseFilter = expecting(
  'a status from 100 to 599, a class such as 4xx, or none',
  v.union([wholeNumberFrom(100, 599), wordOf([...statusClasses, 'none'])]),
);

export const DeliveryFilter = {
  ...WorkspaceFilter,
  status: described(
    'Only deliveries with this status. `pending` includes failing and paused deliveries. `failing` selects pending deliveries whose last attempt failed, `paused` those to disabled endpoints, and `unsuccessful` failing and failed ones.',
    v.optional(v.picklist(deliveryStatusFilters)),
    'failing',
  ),
  response_status: described(
    'Only deliveries whose last attempt got this response status or class, such as 404 or 4xx. Use `none` for a last attempt without a response, such as a timeout.',
    v.optional(ResponseFilter),
  ),
  event_id: described('Only deliveries of this event.', v.optional(idOf('event'))),
  type: described('Only deliveries of this event type.', v.optional(NonEmptyText)),
  webhook_id: described('Only deliveries to this endpoint.', v.optional(idOf('webhook'))),
  text: described(
    'Only deliveries with this text in an ID, the type, URL or body. Case-insensitive for the letters A to Z.',
    Text,
  ),
  ...TimeRange,
};

/** A filter with its times in milliseconds since 1970. A missing field matches everything. */
export type Condition<Input> = {
  readonly [Name in keyof Input]: Name extends 'since' | 'until' ? number | undefined : Input[Name];
};
type ConditionOf<Entries extends v.ObjectEntries> = Condition<
  Partial<v.InferOutput<v.ObjectSchema<Entries, undefined>>>
>;
export type DeliveryCondition = ConditionOf<typeof DeliveryFilter>;
export type EventCondition = ConditionOf<typeof EventFilter>;

/** For each field of a condition: whether an item matches its value. Null means that only an unknown text could decide. */
type Matchers<Fields, Item> = {
  readonly [Name in keyof Fields]-?: (
    value: NonNullable<Fields[Name]>,
    item: Item,
    getText: () => string | undefined,
  ) => boolean | null;
};

function matchesAll<Fields extends object, Item>(
  matchers: Matchers<Fields, Item>,
  condition: Fields,
  item: Item,
  getText: () => string | undefined = () => undefined,
): boolean | null {
  let result: boolean | null = true;
  for (const name of Object.keys(matchers) as (keyof Fields)[]) {
    const value = condition[name];
    if (value === undefined || value === null) continue;
    const matches = matchers[name](value, item, getText);
    if (matches === false) return false;
    if (matches === null) result = null;
  }
  return result;
}

/** The store has the same conditions in SQL, and a test compares both. The text is last, because it can need the body. */
const deliveryMatchers: Matchers<DeliveryCondition, Delivery> = {
  workspace_id: (id, { workspace_id }) => workspace_id === id,
  event_id: (id, { event_id }) => event_id === id,
  webhook_id: (id, { webhook_id }) => webhook_id === id,
  type: (type, { event_type }) => event_type === type,
  status: (status, delivery) => {
    const displayed = getDisplayStatus(delivery);
    if (status === 'unsuccessful') return displayed === 'failing' || displayed === 'failed';
    return status === delivery.status || status === displayed;
  },
  response_status: (filter, { last_attempt: last }) =>
    last !== null && matchesStatus(filter, last.response_status ?? 0),
  since: (since, { created_at }) => Date.parse(created_at) >= since,
  until: (until, { created_at }) => Date.parse(created_at) < until,
  text: (text, { id, event_id, event_type, url }, getBody) => {
    const includesText = (value: string) => value.toLowerCase().includes(text.toLowerCase());
    if ([id, event_id, event_type, url].some(includesText)) return true;
    const body = getBody();
    return body === undefined ? null : includesText(body);
  },
};

/**
 * Whether a delivery matches a filter. Live lists use this function.
 * @param getBody returns the body of the delivery, or undefined if it is unknown. Called only if the filter has a text.
 * @returns null if only the body could decide, but is unknown.
 */
export function matchesDeliveryFilter(
  filter: DeliveryCondition,
  delivery: Delivery,
  getBody: () => string | undefined,
): boolean | null {
  return matchesAll(deliveryMatchers, filter, delivery, getBody);
}

export const AttemptFilter = {
  ...WorkspaceFilter,
  webhook_id: described('Only attempts to this endpoint.', v.optional(idOf('webhook'))),
  delivery_id: described('Only attempts of this delivery.', v.optional(idOf('delivery'))),
  since: described(
    `Only attempts sent at or after this wall time: ${TIME_FORMS}.`,
    v.optional(RelativeTime),
    '1h',
  ),
};

/** 0 means that an injected fault dropped the connection. */
const StatusFilter = expecting(
  'a status from 0 to 599, or a class such as 4xx',
  v.union([wholeNumberFrom(0, 599), wordOf(statusClasses)]),
);

/** The methods of HTTP that clients send (RFC 9110, RFC 5789). */
const requestMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;
const MethodFilter: v.GenericSchema<string> = expecting(
  `one of ${requestMethods.join(', ')}`,
  v.pipe(
    v.string(),
    v.metadata({ jsonSchema: { enum: requestMethods } }),
    v.toUpperCase(),
    v.picklist(requestMethods),
  ),
);

export const RequestFilter = {
  ...WorkspaceFilter,
  method: described('Only requests with this HTTP method.', v.optional(MethodFilter)),
  path: described(
    'Only requests with a path that starts with this text or, if the text does not start with a slash, contains it.',
    v.optional(v.string()),
  ),
  status: described(
    'Only requests with this response status or class, such as 404 or 4xx. Use 0 for connections that an injected fault dropped.',
    v.optional(StatusFilter),
  ),
  api_key_id: described('Only requests with this API key.', v.optional(idOf('apiKey'))),
  api_key_name: described('Only requests with an API key of this name.', v.optional(v.string())),
  request_id: described('Only the request with this ID.', v.optional(idOf('request'))),
  resource_id: described(
    'Only requests that created or named this resource.',
    v.optional(
      expecting(`the ID of a resource, such as ${toExampleId('event')}`, v.pipe(v.string(), v.check(isId))),
    ),
  ),
  min_duration_ms: described(
    'Only requests that took at least this number of milliseconds.',
    v.optional(wholeNumberFrom(0)),
  ),
  since: described(
    `Only requests received at or after this wall time: ${TIME_FORMS}.`,
    v.optional(RelativeTime),
    '1h',
  ),
};

export type AttemptCondition = ConditionOf<typeof AttemptFilter>;
export type RequestCondition = ConditionOf<typeof RequestFilter>;

const requestMatchers: Matchers<RequestCondition, ApiRequest> = {
  workspace_id: (id, { workspace_id }) => workspace_id === id,
  method: (method, request) => request.method === method,
  path: (text, { path }) => matchesPath(text, path),
  status: (filter, { status }) => matchesStatus(filter, status),
  api_key_id: (id, { api_key_id }) => api_key_id === id,
  api_key_name: (name, { api_key_name }) => api_key_name === name,
  request_id: (id, request) => request.id === id,
  resource_id: (id, { resource_id }) => resource_id === id,
  min_duration_ms: (ms, { duration_ms }) => duration_ms >= ms,
  since: (since, { at }) => Date.parse(at) >= since,
};

/** Whether a logged request matches a filter. For live lists, like {@link matchesDeliveryFilter}. */
export function matchesRequestFilter(filter: RequestCondition, request: ApiRequest): boolean {
  return matchesAll(requestMatchers, filter, request) === true;
}

/** A text that starts with a slash is the start of the path. Another text can be anywhere in it. */
function matchesPath(text: string, path: string): boolean {
  return text.startsWith('/') ? path.startsWith(text) : path.includes(text);
}
