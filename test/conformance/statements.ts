import { gapIds, gaps } from '../../src/profile/gaps.ts';

/**
 * Every statement of the service description (sections 1 to 9), in our own words, and every question of the gap register.
 * The title of a test that covers one ends with its id: `it('a stale timestamp is rejected [§6.3, signature.tolerance]', …)`.
 */
export interface Statement {
  readonly id: string;
  readonly section: Section;
  readonly text: string;
  /**
   * Statements whose tests also cover this one, so that it needs no test: the decisions for what the description does not
   * specify, or the statement that this one repeats.
   */
  readonly coveredBy?: readonly string[];
}

/** Headings of the description, and the gap register at the end. */
export const sections = [
  '1. Overview',
  '2. Resources',
  '3. States',
  '4. Operations',
  '5. Authentication',
  '6. Deliveries',
  '7. Errors',
  '8. Limits',
  '9. Versions',
  'Decisions',
] as const;
export type Section = (typeof sections)[number];

type Row = readonly [id: string, text: string, coveredBy?: readonly string[]];

const rows: Record<Section, readonly Row[]> = {
  '1. Overview': [
    ['§1.resources', 'A JSON REST API for three kinds of resource: workspaces, events and webhooks.'],
    ['§1.https', 'The API is served over HTTPS.'],
    [
      '§1.operations',
      'The API retrieves workspaces, creates, retrieves and lists events, and registers webhook endpoints.',
      ['§4.get-workspace', '§4.create-event', '§4.get-event', '§4.list-events', '§4.create-webhook'],
    ],
    ['§1.deliveries', 'Signed events are delivered to the endpoints of their workspace.'],
    ['§1.environments', 'Production and sandbox are isolated; data is not shared.'],
    ['§1.base-address', 'A base address ends in `/v1`; every path is relative to it.'],
  ],
  '2. Resources': [
    ['§2.request-body', 'A request body is JSON with `Content-Type: application/json`.'],
    ['§2.response-body', 'A response body is a JSON object or a paginated list.'],
    ['§2.field-names', 'Field names are snake_case.'],
    ['§2.timestamps', 'Timestamps are ISO 8601, UTC.'],
    [
      '§2.ids',
      'An ID consists of a prefix for its kind (`ws_`, `evt_`, `wh_`, `del_`) and an opaque string.',
    ],
    ['§2.ids.request', 'The request identifier of an error has the prefix `req_`.'],
    ['§2.workspace', 'A workspace has an `id` with the prefix `ws_`.'],
    ['§2.workspace.fields', 'Other fields of a workspace: not specified.', ['workspace.record']],
    ['§2.event', 'An event has an `id` with the prefix `evt_`.'],
    ['§2.event.fields', 'Other fields of an event: not specified.', ['event.record']],
    ['§2.webhook.id', 'A webhook endpoint has an `id` with the prefix `wh_`.'],
    [
      '§2.webhook.workspace-id',
      '`workspace_id` is sent at creation and names the workspace of the endpoint.',
    ],
    ['§2.webhook.url', '`url` must be publicly reachable over HTTPS.'],
    ['§2.webhook.events', '`events` contains the subscribed types, each of the form `<noun>.<verb>`.'],
    ['§2.webhook.wildcard', '`*` subscribes to every type; it is discouraged in production.'],
    ['§2.webhook.secret', 'Only the creation response contains `secret`.'],
    ['§2.webhook.secret-separate', 'The endpoint secret is not the API key.'],
    ['§2.webhook.fields', 'Other fields of an endpoint: not specified.', ['webhook.record']],
    ['§2.delivery', 'A delivery has an `id` with the prefix `del_`.'],
    [
      '§2.delivery.dashboard',
      'Deliveries can be inspected, and failed ones replayed, in the dashboard.',
      ['§6.retries.visible', '§6.retries.replay'],
    ],
    ['§2.delivery.fields', 'Other fields of a delivery, and a replay operation: not specified.', ['replay']],
    ['§2.envelope', 'The envelope is an object whose `data.id` identifies the event.'],
    ['§2.envelope.fields', 'Other fields of the envelope and of `data`: not specified.', ['envelope']],
    ['§2.list.data', '`data` contains the items of the page.'],
    ['§2.list.has-more', '`has_more` is true when further items exist.'],
    ['§2.list.end-cursor', '`end_cursor` is the ID of the last item of the page.'],
  ],
  '3. States': [
    [
      '§3.states',
      'States and the transitions between them: not specified.',
      ['delivery.states', 'delivery.paused', 'delivery.success', 'retry.schedule', 'replay', 'replay.failed'],
    ],
  ],
  '4. Operations': [
    ['§4.authorization', 'All requests carry `Authorization: Bearer <API_KEY>`.', ['§5.1']],
    ['§4.idempotency-key', 'POST requests accept an `Idempotency-Key` header.', ['§4.3']],
    ['§4.get-workspace', '`GET /workspaces/{id}` returns the workspace.'],
    ['§4.create-event', '`POST /events` creates an event and returns it; scope `events:write`.'],
    ['§4.get-event', '`GET /events/{id}` returns the event.'],
    ['§4.list-events', '`GET /events` returns a page of events of a workspace.'],
    [
      '§4.create-webhook',
      '`POST /webhooks` returns the endpoint with its `id` and `secret`; scope `webhooks:manage`.',
    ],
    ['§4.create-webhook.body', '`workspace_id`, `url` (HTTPS) and `events` are required.'],
    ['§4.1', 'A request for the next page has `starting_after` set to the previous `end_cursor`.'],
    ['§4.2', 'A list request identifies the workspace; the parameter is not specified.', ['list.workspace']],
    ['§4.3', 'A POST with an `Idempotency-Key` is idempotent.'],
    ['§4.4', 'Fields of the `POST /events` body: not specified.', ['event.body']],
    ['§4.5', 'Page size and filters of `GET /events`: not specified.', ['list.limit', 'list.filter']],
    ['§4.6', 'Other webhook operations are not part of the API.', ['webhook.operations']],
  ],
  '5. Authentication': [
    ['§5.1', 'Every request carries `Authorization: Bearer <API_KEY>`.'],
    ['§5.2', 'A `svc_test_` key works only in the sandbox, and a `svc_live_` key only in production.'],
    ['§5.3', 'Restricted keys are sent in the same way; the service enforces their scopes.'],
    ['§5.4', 'A key that lacks a scope gets 403 and a message that names the scope.'],
    ['§5.5', '`events:write` lets a key create events, and `webhooks:manage` lets it register endpoints.'],
    ['§5.6', 'The full list of scopes: not specified.', ['key.scopes']],
    [
      '§5.7',
      'A delivery is authenticated by a signature made with the endpoint secret, never by an API key.',
    ],
  ],
  '6. Deliveries': [
    ['§6.registration.url', 'The URL of an endpoint is HTTPS and publicly reachable.', ['§2.webhook.url']],
    ['§6.registration.secret', 'The secret is returned once, at creation.', ['§2.webhook.secret']],
    ['§6.registration.events', 'An endpoint receives only the types that it subscribed to.'],
    ['§6.registration.wildcard', 'Subscribing to `*` in production is discouraged.', ['§2.webhook.wildcard']],
    ['§6.delivery', 'When a matching event occurs, the envelope is sent to the URL of the endpoint.'],
    ['§6.headers.signature', '`Service-Signature` carries the signature of the payload.'],
    ['§6.headers.timestamp', '`Service-Timestamp` carries the time of the delivery.'],
    ['§6.headers.delivery-id', '`Service-Delivery-Id` carries the `del_` identifier.'],
    ['§6.1', 'The signature is verified over the raw body, before it is parsed.'],
    ['§6.2', 'Verification takes the raw payload, the signature, the timestamp and the secret.'],
    ['§6.3', 'A delivery whose timestamp is older than five minutes is rejected.'],
    ['§6.4', 'If verification fails, the receiver responds with 4xx and does not process the delivery.'],
    ['§6.5', 'The receiver responds with 2xx when it has accepted the delivery, before downstream work.'],
    ['§6.6', 'Delivery is at least once; the receiver deduplicates on `data.id`.'],
    [
      '§6.retries.schedule',
      'Attempts: immediately, after 5 minutes, after 30 more, then up to 24 hours apart.',
    ],
    ['§6.retries.non-2xx', 'A response that is not 2xx is retried.'],
    ['§6.retries.window', 'Retrying stops after 72 hours in total.'],
    ['§6.retries.visible', 'Attempts are visible in the dashboard.'],
    ['§6.retries.replay', 'Failed deliveries can be replayed.'],
    [
      '§6.gaps.signature',
      'Signature algorithm and signed string: not specified.',
      [
        'signature.content',
        'signature.algorithm',
        'signature.header',
        'signature.timestamp',
        'secret.format',
      ],
    ],
    [
      '§6.gaps.catalog',
      'Event types and what emits them: not specified.',
      ['event.catalog', 'event.emission'],
    ],
  ],
  '7. Errors': [
    ['§7.envelope', 'Every error body has `error.code`, `error.message` and `error.request_id`.'],
    ['§7.401', 'Authentication failure: 401.'],
    ['§7.403', 'Missing scope: 403 `permission_denied`. The message names the scope.'],
    ['§7.404', 'Resource that does not exist: 404.'],
    ['§7.429', 'Rate limit exceeded: 429.'],
    ['§7.codes', 'Other statuses and the full list of codes: not specified.', ['error.codes']],
    ['§7.idempotency', 'Response to a rejected idempotency key: not specified.', ['idempotency.conflict']],
  ],
  '8. Limits': [
    ['§8.tolerance', 'Webhook timestamp tolerance: 5 minutes.', ['§6.3']],
    ['§8.window', 'Webhook retry window: 72 hours in total.', ['§6.retries.window']],
    ['§8.gap', 'Gap between retries: at most 24 hours.'],
    ['§8.rate-limit', 'Exceeding the rate limit yields 429.', ['§7.429']],
    ['§8.rate-values', 'Rate limit values and headers: not specified.', ['rate.limit', 'rate.headers']],
    ['§8.sizes', 'Limits of body and page size: not specified.', ['body.limit', 'list.limit']],
  ],
  '9. Versions': [
    ['§9.version', 'The version is the path segment `/v1` in both environments.'],
    ['§9.policy', 'Compatibility policy and version header: not specified.', ['version']],
  ],
  Decisions: gapIds.map((id) => [id, gaps[id].question]),
};

export const statements: readonly Statement[] = sections.flatMap((section) =>
  rows[section].map(([id, text, coveredBy]) => ({ id, section, text, ...(coveredBy && { coveredBy }) })),
);
