/**
 * Schemas of resources, from which types, validation and the OpenAPI documents follow. Names are snake_case, times ISO 8601
 * UTC, and durations end in `_ms` (§2).
 */
import * as v from 'valibot';
import { environments, scopes } from '../domain/credentials.ts';
import { attemptOutcomes } from '../domain/delivery.ts';
import { toExampleId } from '../domain/ids.ts';
import { excerptField, statusCounts } from './delivery-schemas.ts';
import { faultField } from './fault-schemas.ts';
import {
  Count,
  described,
  Headers,
  Hint,
  idOf,
  JsonObject,
  Name,
  resource,
  StoredEventType,
  Timestamp,
  toSettings,
  Url,
} from './fields.ts';
import { listenerField, publicWebhookSettings, webhookSettings } from './webhook-settings.ts';

export const EnvironmentName = v.picklist(environments);
export const ScopeName = v.picklist(scopes);

const workspaceId = {
  workspace_id: described('ID of the workspace that this object belongs to.', idOf('workspace')),
};
/** For the resources of `/v1`, whose document does not explain schedule time. */
const createdAt = { created_at: described('Time at which this object was created.', Timestamp) };
/** For the resources of the control plane. */
const createdAtInScheduleTime = {
  created_at: described('Schedule time at which this object was created.', Timestamp),
};

export const Workspace = resource('A workspace, which owns events, endpoints and deliveries.', {
  id: described('ID of the workspace.', idOf('workspace')),
  name: described('Name of the workspace.', v.string(), 'Acme'),
  environment: described('Environment that the workspace belongs to.', EnvironmentName),
  ...createdAt,
});

/** The fields of an event without its payload and its time. */
const eventFields = {
  id: described('ID of the event. Use it to detect duplicate deliveries.', idOf('event')),
  ...workspaceId,
  type: described('Type of the event, in the form `<noun>.<verb>`.', StoredEventType),
};
const payload = {
  payload: described('Data of the event, as passed in the request that created it.', JsonObject, {
    order_id: 'ord_7KQ2M9',
    carrier: 'DHL',
  }),
};

export const Event = resource(
  'Something that happened in a workspace. The service delivers an event to each endpoint that subscribes to its type.',
  { ...eventFields, ...payload, ...createdAt },
);

/** The JSON that is POSTed to an endpoint (§2, gap `envelope`). */
export const Envelope = v.object({
  type: v.string(),
  workspace_id: v.string(),
  created_at: v.string(),
  data: Event,
});

const requestId = {
  request_id: described(
    'ID of the `/v1` request that created the event. `null` if no request created it, or if the request is no longer in the request log.',
    v.nullable(idOf('request')),
  ),
};

export const EventSummary = resource('An event in a list, without its payload.', {
  ...eventFields,
  ...createdAtInScheduleTime,
  ...requestId,
  delivery_counts: described('Number of deliveries of the event, by status.', v.object(statusCounts)),
  ...excerptField,
});

export const EventDetail = resource('An event, and the ID of the request that created it.', {
  ...Event.entries,
  ...createdAtInScheduleTime,
  ...requestId,
  payload_text: described(
    'Payload as JSON text. Numbers are written as in the request.',
    v.string(),
    '{"order_id":"ord_7KQ2M9","carrier":"DHL"}',
  ),
});

export const Webhook = resource('A webhook endpoint: a URL that receives events.', {
  id: described('ID of the endpoint.', idOf('webhook')),
  ...workspaceId,
  ...publicWebhookSettings,
  ...createdAt,
});

const EXAMPLE_SECRET = 'whsec_PW3S3zWD66-9roQe8lylesMLHS42Y8hVMljpEZl2miI';

/** Only the response to `POST /v1/webhooks` contains the secret (§2). */
export const CreatedWebhook = resource('A new endpoint with its secret.', {
  ...Webhook.entries,
  secret: described(
    'Secret that deliveries are signed with. It is returned only when the endpoint is created.',
    v.string(),
    EXAMPLE_SECRET,
  ),
});

const errorFields = {
  code: described('Machine-readable error code.', v.string()),
  message: described('Human-readable description of the error.', v.string()),
  request_id: described('ID of the request. The `Request-Id` header contains the same ID.', idOf('request')),
};

export const ErrorBody = described(
  'An error response.',
  v.strictObject({ error: described('The error.', v.strictObject(errorFields)) }),
);

export const ControlErrorBody = described(
  'An error response of the control plane.',
  v.strictObject({
    error: described(
      'The error.',
      v.strictObject({
        ...errorFields,
        hint: v.optional(Hint),
      }),
    ),
  }),
);

/** A page of a list (§2). */
export const pageOf = <Item extends v.GenericSchema>(item: Item) =>
  resource('A page of the list, newest first.', {
    data: described('Items on this page, newest first.', v.array(item)),
    has_more: described('Whether more items are available after this page.', v.boolean()),
    end_cursor: described(
      'ID of the last item on this page, or `null` if the page is empty. To get the next page, pass it as `starting_after`.',
      v.nullable(v.string()),
      null,
    ),
  });

/** A page of events, newest first (§2, gap `list.order`). */
export const EventPage = pageOf(Event);

/** The fields that create an API key. Each entry also defines the column, the resource field and the seed field. */
export const newKeyFields = {
  name: v.optional(
    described(
      'Name that the request log shows for the key (default: its last four characters). Several keys can have the same name.',
      Name,
      'Checkout',
    ),
  ),
  scopes: described(
    'Scopes that the key grants.',
    v.pipe(v.array(ScopeName), v.minLength(1, 'must name at least one scope')),
    ['events:read', 'events:write'],
  ),
};
export const keySettings = toSettings(newKeyFields);
type NewKeyValues = v.InferOutput<v.ObjectSchema<typeof newKeyFields, undefined>>;
/** Validated fields of a new API key. */
export type NewKey = { readonly [Field in keyof NewKeyValues]: Readonly<NewKeyValues[Field]> };

export const ApiKey = resource('Metadata of an API key. The key itself is not included.', {
  id: described('ID of the API key.', idOf('apiKey')),
  ...keySettings,
  workspace_id: described(
    'ID of the workspace that the key is bound to. `null` if the key is valid for all workspaces.',
    v.nullable(idOf('workspace')),
  ),
  last4: described(
    'Last four characters of the key. The database stores only these characters and a hash of the key.',
    v.string(),
    '_0hY',
  ),
  created_at: described('Wall time at which the key was created.', Timestamp),
  revoked_at: described('Wall time at which the key was revoked, or `null`.', v.nullable(Timestamp), null),
});
export const CreatedApiKey = resource('A new API key, including the key itself.', {
  ...ApiKey.entries,
  key: described(
    'The key itself. It is returned only when the key is created.',
    v.string(),
    'svc_test_HJhjN2ltch3_pftOBqGK9wU3wFtk_0hY',
  ),
});

export const WebhookDetail = resource('A webhook endpoint, including settings that `/v1` does not support.', {
  ...Webhook.entries,
  ...createdAtInScheduleTime,
  ...webhookSettings,
  listener: listenerField,
  previous_secret_expires_at: described(
    'Schedule time until which deliveries are signed with both the current and the previous secret. Can be in the past. `null` if the secret was never rotated, or was last rotated without an overlap.',
    v.nullable(Timestamp),
    null,
  ),
});
const secretField = {
  secret: described('Secret that deliveries are signed with.', v.string(), EXAMPLE_SECRET),
};
export const WebhookWithSecret = resource('An endpoint with its secret.', {
  ...WebhookDetail.entries,
  ...secretField,
});
export const RegisteredWebhook = resource('An endpoint that was registered, with its secret.', {
  ...WebhookWithSecret.entries,
  shared: described(
    'Present if it is a temporary endpoint that a live stream holds already. The client of that stream deletes it.',
    v.optional(v.literal(true)),
  ),
});
export const WebhookSecrets = resource('The secrets of an endpoint.', {
  ...secretField,
  previous_secret: described(
    'Secret that the last rotation replaced, even if it has expired. `null` if the secret was never rotated.',
    v.nullable(v.string()),
    null,
  ),
});

export const ApiRequest = resource('A request to `/v1` in the request log.', {
  id: described('ID of the request, as in the `Request-Id` header of its response.', idOf('request')),
  at: described('Wall time at which the request arrived.', Timestamp),
  method: described('HTTP method.', v.string(), 'POST'),
  path: described(
    'Path and query, without secrets. Truncated to 2,048 characters, or to 256 if the request had no valid API key.',
    v.string(),
    '/v1/events',
  ),
  status: described('Status of the response. 0 if a fault dropped the connection.', v.number(), 201),
  error_code: described('Error code of the response. `null` on success.', v.nullable(v.string()), null),
  error_message: described(
    'Error message of the response, truncated like the path. `null` on success.',
    v.nullable(v.string()),
    null,
  ),
  duration_ms: described('Time from the request to the response, in milliseconds.', v.number()),
  api_key_id: described(
    'ID of the API key. `null` if the request had no valid key.',
    v.nullable(v.string()),
    toExampleId('apiKey'),
  ),
  api_key_name: described(
    'Name of the API key. `null` if the request had no valid key.',
    v.nullable(v.string()),
    'Checkout',
  ),
  workspace_id: described(
    'ID of the workspace that the API key is bound to. `null` if the key is valid for all workspaces, or if the request had no valid key.',
    v.nullable(v.string()),
    toExampleId('workspace'),
  ),
  resource_id: described(
    'ID of the resource that the request created or accessed. `null` if there is none, for example for a list or a rejected request.',
    v.nullable(v.string()),
    toExampleId('event'),
  ),
  user_agent: described(
    '`User-Agent` header of the request, truncated like the path. `null` without one.',
    v.nullable(v.string()),
    'curl/8.14.1',
  ),
  ...faultField,
});

export const LoggedMessage = resource('The headers and the body of a logged request or of its response.', {
  headers: described(
    'Headers, without those that Node.js adds to a response. Secrets are removed; of an API key, the last four characters remain.',
    Headers,
  ),
  body: described(
    'Body. A request has at most 256 KiB of it and a response 64 KiB. `null` if it was not read, for example without a valid API key.',
    v.nullable(v.string()),
    '{"type":"order.shipped"}',
  ),
  encoding: described('`base64` if the body is not valid UTF-8.', v.picklist(['utf8', 'base64'])),
  size_bytes: described('Size of the whole body in bytes. `null` if it was not read.', v.nullable(Count), 24),
  truncated: described('Whether only a part of the path, the headers or the body is stored.', v.boolean()),
});

export const ApiRequestDetail = resource(
  'A request to `/v1` in the request log, with its headers and bodies.',
  {
    ...ApiRequest.entries,
    request: described(
      'Headers and body of the request. `null` if it is not one of the 10,000 newest.',
      v.nullable(LoggedMessage),
    ),
    response: described(
      'Headers and body of the response. Also `null` if an injected fault dropped the connection.',
      v.nullable(LoggedMessage),
    ),
  },
);

const ProbeResponse = v.object({
  outcome: described(
    'Result of the test delivery. `http_error` means a response other than 2xx.',
    v.picklist(attemptOutcomes),
  ),
  response_status: described('Status of the response. `null` without one.', v.nullable(v.number()), 200),
  error: described('Description of the failure. `null` on success.', v.nullable(v.string()), null),
  duration_ms: described('Time from the start of the attempt to its end, in milliseconds.', v.number()),
});

export const WebhookProbe = resource('Result of an endpoint test.', {
  webhook_id: described('ID of the endpoint.', idOf('webhook')),
  url: described('URL that deliveries are sent to.', Url),
  connection: described(
    'The connection to the receiver.',
    v.object({
      outcome: described(
        '`connected`, or the kind of failure.',
        v.picklist(['connected', ...attemptOutcomes]),
      ),
      error: described('Description of the failure. `null` on success.', v.nullable(v.string()), null),
      duration_ms: described('Time to connect, in milliseconds.', v.number()),
      address: described(
        'IP address that the emulator connected to, which can be the address of a proxy. `null` if the connection failed.',
        v.nullable(v.string()),
        '127.0.0.1',
      ),
      certificate: described(
        'TLS certificate of the receiver. `null` if the connection failed or does not use TLS.',
        v.nullable(
          v.object({
            issuer: described('Issuer of the certificate.', v.string()),
            valid_to: described('Wall time at which the certificate expires.', Timestamp),
          }),
        ),
        null,
      ),
    }),
  ),
  genuine: described(
    'Result of the test delivery that was signed with the correct secret. `null` if it was not sent.',
    v.nullable(ProbeResponse),
  ),
  forged: described(
    'Result of the test delivery that was signed with a wrong secret. `null` if it was not sent.',
    v.nullable(ProbeResponse),
  ),
});

const fixtureType = { type: described('Event type.', StoredEventType) };
const EXAMPLE_FIXTURE = 'An order was handed to the carrier.';

export const FixtureSummary = resource('A fixture, which is a sample payload for an event type.', {
  ...fixtureType,
  source: described(
    'Where the fixture comes from. A fixture of the project replaces a built-in one.',
    v.picklist(['built_in', 'project']),
  ),
  description: described(
    'Description of the event type. `null` if the file is invalid.',
    v.nullable(v.string()),
    EXAMPLE_FIXTURE,
  ),
  problem: described('Why the file is invalid. `null` if it is valid.', v.nullable(v.string()), null),
});

export const FilledFixture = resource('A payload that was created from a fixture.', {
  ...fixtureType,
  description: described('Description of the event type.', v.string(), EXAMPLE_FIXTURE),
  payload_text: described(
    'Payload as JSON text, in which templates are replaced by new values. Numbers are written as in the fixture.',
    v.string(),
    '{"order_id":"ord_7KQ2M9","carrier":"DHL"}',
  ),
});

export type ApiKey = v.InferOutput<typeof ApiKey>;
export type ApiRequest = v.InferOutput<typeof ApiRequest>;
export type ApiRequestDetail = v.InferOutput<typeof ApiRequestDetail>;
export type LoggedMessage = v.InferOutput<typeof LoggedMessage>;
export type ControlErrorBody = v.InferOutput<typeof ControlErrorBody>;
export type CreatedApiKey = v.InferOutput<typeof CreatedApiKey>;
export type CreatedWebhook = v.InferOutput<typeof CreatedWebhook>;
export type Envelope = Readonly<v.InferOutput<typeof Envelope>>;
export type ErrorBody = v.InferOutput<typeof ErrorBody>;
export type Event = v.InferOutput<typeof Event>;
export type EventDetail = v.InferOutput<typeof EventDetail>;
export type EventSummary = v.InferOutput<typeof EventSummary>;
export type Webhook = v.InferOutput<typeof Webhook>;
export type WebhookDetail = v.InferOutput<typeof WebhookDetail>;
export type WebhookProbe = v.InferOutput<typeof WebhookProbe>;
export type WebhookWithSecret = v.InferOutput<typeof WebhookWithSecret>;
export type RegisteredWebhook = v.InferOutput<typeof RegisteredWebhook>;
export type Workspace = v.InferOutput<typeof Workspace>;
export type Page<Item> = { data: Item[]; has_more: boolean; end_cursor: string | null };
