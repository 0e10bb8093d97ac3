/**
 * Schemas of resources, from which types, validation and the OpenAPI documents follow. Names are snake_case, times ISO 8601
 * UTC, and durations end in `_ms` (§2). `openapi-schema-texts.ts` describes each field.
 */
import * as v from 'valibot';
import { environments, scopes } from '../domain/credentials.ts';
import { attemptOutcomes } from '../domain/delivery.ts';
import { EVENT_TYPE_PATTERN } from '../domain/event.ts';
import { faultField } from './fault-schemas.ts';
import { Count, Headers, idOf, JsonObject, SUBSCRIPTION_PATTERN, Timestamp } from './fields.ts';

export const EnvironmentName = v.picklist(environments);
export const ScopeName = v.picklist(scopes);

export const Workspace = v.object({
  id: idOf('workspace'),
  name: v.string(),
  environment: EnvironmentName,
  created_at: Timestamp,
});

export const Event = v.object({
  id: idOf('event'),
  workspace_id: idOf('workspace'),
  type: v.pipe(v.string(), v.metadata({ jsonSchema: { pattern: EVENT_TYPE_PATTERN.source } })),
  payload: JsonObject,
  created_at: Timestamp,
});

const requestId = { request_id: v.nullable(idOf('request')) };

/** An event in a list, without its payload. */
export const EventSummary = v.object({
  ...v.omit(Event, ['payload']).entries,
  ...requestId,
  /** `pending` includes the deliveries that are failing or paused. */
  delivery_counts: v.object({
    pending: Count,
    failing: Count,
    paused: Count,
    succeeded: Count,
    failed: Count,
    canceled: Count,
  }),
});

export const EventDetail = v.object({
  ...Event.entries,
  ...requestId,
  payload_text: v.string(),
});

const Url = v.pipe(v.string(), v.metadata({ jsonSchema: { format: 'uri' } }));
const Subscription = v.pipe(v.string(), v.metadata({ jsonSchema: { pattern: SUBSCRIPTION_PATTERN } }));

export const Webhook = v.object({
  id: idOf('webhook'),
  workspace_id: idOf('workspace'),
  url: Url,
  events: v.pipe(v.array(Subscription), v.metadata({ jsonSchema: { uniqueItems: true } })),
  created_at: Timestamp,
});

/** Only the response to `POST /v1/webhooks` contains the secret (§2). */
export const CreatedWebhook = v.object({ ...Webhook.entries, secret: v.string() });

export const ErrorBody = v.strictObject({
  error: v.strictObject({ code: v.string(), message: v.string(), request_id: idOf('request') }),
});

export const ControlErrorBody = v.strictObject({
  error: v.strictObject({ ...ErrorBody.entries.error.entries, hint: v.optional(v.string()) }),
});

/** A page of a list (§2). `end_cursor` is the ID of the last item, null if the page is empty. */
export const pageOf = <Item extends v.GenericSchema>(item: Item) =>
  v.object({ data: v.array(item), has_more: v.boolean(), end_cursor: v.nullable(v.string()) });

/** A page of events, newest first (§2, gap `list.order`). */
export const EventPage = pageOf(Event);

export const ApiKey = v.object({
  id: idOf('apiKey'),
  name: v.string(),
  scopes: v.array(ScopeName),
  workspace_id: v.nullable(idOf('workspace')),
  last4: v.string(),
  created_at: Timestamp,
  revoked_at: v.nullable(Timestamp),
});
export const CreatedApiKey = v.object({ ...ApiKey.entries, key: v.string() });

export const WebhookDetail = v.object({
  ...Webhook.entries,
  disabled: v.boolean(),
  headers: Headers,
  skip_verify: v.boolean(),
  listener: v.boolean(),
  previous_secret_expires_at: v.nullable(Timestamp),
});
export const WebhookWithSecret = v.object({ ...WebhookDetail.entries, secret: v.string() });

/** A request to `/v1` in the request log. */
export const ApiRequest = v.object({
  id: idOf('request'),
  at: Timestamp,
  method: v.string(),
  path: v.string(),
  status: v.number(),
  error_code: v.nullable(v.string()),
  error_message: v.nullable(v.string()),
  duration_ms: v.number(),
  api_key_id: v.nullable(v.string()),
  api_key_name: v.nullable(v.string()),
  workspace_id: v.nullable(v.string()),
  resource_id: v.nullable(v.string()),
  user_agent: v.nullable(v.string()),
  ...faultField,
});

/** The headers and the body of a logged request or of its response. */
export const LoggedMessage = v.object({
  headers: Headers,
  body: v.nullable(v.string()),
  encoding: v.picklist(['utf8', 'base64']),
  size_bytes: v.nullable(Count),
  truncated: v.boolean(),
});

export const ApiRequestDetail = v.object({
  ...ApiRequest.entries,
  request: v.nullable(LoggedMessage),
  response: v.nullable(LoggedMessage),
});

const ProbeResponse = v.object({
  outcome: v.picklist(attemptOutcomes),
  response_status: v.nullable(v.number()),
  error: v.nullable(v.string()),
  duration_ms: v.number(),
});

/** The result of a test of an endpoint. */
export const WebhookProbe = v.object({
  webhook_id: idOf('webhook'),
  url: v.string(),
  connection: v.object({
    outcome: v.picklist(['connected', ...attemptOutcomes]),
    error: v.nullable(v.string()),
    duration_ms: v.number(),
    address: v.nullable(v.string()),
    certificate: v.nullable(v.object({ issuer: v.string(), valid_to: Timestamp })),
  }),
  genuine: v.nullable(ProbeResponse),
  forged: v.nullable(ProbeResponse),
});

export const FixtureSummary = v.object({
  type: v.string(),
  source: v.picklist(['built_in', 'project']),
  description: v.nullable(v.string()),
  problem: v.nullable(v.string()),
});

export const FilledFixture = v.object({
  type: v.string(),
  description: v.string(),
  payload_text: v.string(),
});

export type ApiKey = v.InferOutput<typeof ApiKey>;
export type ApiRequest = v.InferOutput<typeof ApiRequest>;
export type ApiRequestDetail = v.InferOutput<typeof ApiRequestDetail>;
export type LoggedMessage = v.InferOutput<typeof LoggedMessage>;
export type ControlErrorBody = v.InferOutput<typeof ControlErrorBody>;
export type CreatedApiKey = v.InferOutput<typeof CreatedApiKey>;
export type CreatedWebhook = v.InferOutput<typeof CreatedWebhook>;
export type ErrorBody = v.InferOutput<typeof ErrorBody>;
export type Event = v.InferOutput<typeof Event>;
export type EventDetail = v.InferOutput<typeof EventDetail>;
export type EventSummary = v.InferOutput<typeof EventSummary>;
export type Webhook = v.InferOutput<typeof Webhook>;
export type WebhookDetail = v.InferOutput<typeof WebhookDetail>;
export type WebhookProbe = v.InferOutput<typeof WebhookProbe>;
export type WebhookWithSecret = v.InferOutput<typeof WebhookWithSecret>;
export type Workspace = v.InferOutput<typeof Workspace>;
export type Page<Item> = { data: Item[]; has_more: boolean; end_cursor: string | null };
