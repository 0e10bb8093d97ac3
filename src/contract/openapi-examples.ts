/** The example resources of the OpenAPI documents: one event, and its delivery, whose first attempt failed. */
import type {
  Attempt,
  AttemptDetail,
  AttemptSummary,
  Delivery,
  SignatureCheck,
  SignatureDetail,
  Verification,
} from './delivery-schemas.ts';
import type { ClockMove, ClockState, ControlIndex, EmulatorStatus } from './emulator-schemas.ts';
import type { Explanation } from './explanation-schemas.ts';
import type { Fault } from './fault-schemas.ts';
import type { DeliveryStatusCounts, Overview, WebhookStatistics } from './overview-schemas.ts';
import type {
  ApiKey,
  ApiRequest,
  ApiRequestDetail,
  Event,
  EventDetail,
  EventSummary,
  Webhook,
  WebhookDetail,
  WebhookProbe,
  Workspace,
} from './resources.ts';
import type { EventTrace } from './trace-schemas.ts';

const EXAMPLE_ULID = '01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
export const ids = {
  workspace: `ws_${EXAMPLE_ULID}`,
  event: `evt_${EXAMPLE_ULID}`,
  webhook: `wh_${EXAMPLE_ULID}`,
  delivery: `del_${EXAMPLE_ULID}`,
  request: `req_${EXAMPLE_ULID}`,
  apiKey: `key_${EXAMPLE_ULID}`,
  fault: `flt_${EXAMPLE_ULID}`,
};
const EXAMPLE_URL = 'http://localhost:3000/webhooks';
const CREATED_AT = '2026-11-20T14:05:00.000Z';
const RETRY_AT = '2026-11-20T14:10:00.000Z';
const SENT_AT = '2026-11-20T14:05:00.120Z';
const SIGNED_AT = '2026-11-20T14:05:00Z';
const EXAMPLE_SIGNATURE = 'v1=ad903a626e4d40ef82427caf6dd187432b63c8d5514f2b481d27cdd9c94d9ac2';
export const endpointSecret = 'whsec_PW3S3zWD66-9roQe8lylesMLHS42Y8hVMljpEZl2miI';

export const workspace: Workspace = {
  id: ids.workspace,
  name: 'Acme',
  environment: 'sandbox',
  created_at: CREATED_AT,
};

export const event: Event = {
  id: ids.event,
  workspace_id: ids.workspace,
  type: 'order.shipped',
  payload: { order_id: 'ord_7KQ2M9', carrier: 'DHL' },
  created_at: CREATED_AT,
};

const { payload: _payload, ...eventFields } = event;
export const eventSummary: EventSummary = {
  ...eventFields,
  request_id: ids.request,
  delivery_counts: { pending: 1, failing: 0, paused: 0, succeeded: 0, failed: 0, canceled: 0 },
};

export const eventDetail: EventDetail = {
  ...event,
  request_id: ids.request,
  payload_text: '{"order_id":"ord_7KQ2M9","carrier":"DHL"}',
};

export const webhook: Webhook = {
  id: ids.webhook,
  workspace_id: ids.workspace,
  url: EXAMPLE_URL,
  events: ['order.shipped'],
  created_at: CREATED_AT,
};

export const webhookDetail: WebhookDetail = {
  ...webhook,
  disabled: false,
  headers: {},
  skip_verify: false,
  listener: false,
  previous_secret_expires_at: null,
};

export const webhookStatistics: WebhookStatistics = {
  attempts: 5,
  succeeded: 4,
  p50_ms: 21.4,
  p95_ms: 38.2,
  max_ms: 38.2,
  last_attempt_at: CREATED_AT,
  recent_attempts: [
    { outcome: 'http_error', duration_ms: 38.2 },
    { outcome: 'succeeded', duration_ms: 21.4 },
  ],
};

export const apiKey: ApiKey = {
  id: ids.apiKey,
  name: 'Checkout',
  scopes: ['events:read', 'events:write'],
  workspace_id: ids.workspace,
  last4: '_0hY',
  created_at: CREATED_AT,
  revoked_at: null,
};

export const delivery: Delivery = {
  id: ids.delivery,
  event_id: ids.event,
  event_type: 'order.shipped',
  workspace_id: ids.workspace,
  webhook_id: ids.webhook,
  url: EXAMPLE_URL,
  status: 'pending',
  settled_reason: null,
  paused: false,
  attempt_count: 1,
  last_attempt: {
    number: 1,
    outcome: 'http_error',
    response_status: 503,
    error: 'the receiver returned 503 Service Unavailable',
  },
  next_attempt_at: RETRY_AT,
  created_at: CREATED_AT,
  settled_at: null,
  replay_of: null,
};

const REPLAYED_AT = '2026-11-20T14:06:00.000Z';
export const replay: Delivery = {
  ...delivery,
  id: 'del_01JD3Z7DY0A1B2C3D4E5F6G7H8',
  attempt_count: 0,
  last_attempt: null,
  next_attempt_at: REPLAYED_AT,
  created_at: REPLAYED_AT,
  replay_of: ids.delivery,
};

const body = `{"type":"order.shipped","workspace_id":"${ids.workspace}","created_at":"${CREATED_AT}","data":{"id":"${ids.event}","workspace_id":"${ids.workspace}","type":"order.shipped","payload":{"order_id":"ord_7KQ2M9","carrier":"DHL"},"created_at":"${CREATED_AT}"}}`;
const signatureHeaders = {
  'Service-Signature': EXAMPLE_SIGNATURE,
  'Service-Timestamp': SIGNED_AT,
  'Service-Delivery-Id': ids.delivery,
};

export const attempt: Attempt = {
  id: `att_${EXAMPLE_ULID}_1`,
  number: 1,
  trigger: 'schedule',
  scheduled_at: CREATED_AT,
  sent_at: SENT_AT,
  duration_ms: 12.4,
  outcome: 'http_error',
  response_status: 503,
  error: 'the receiver responded with 503 Service Unavailable',
  phases: {
    queued_ms: 0.6,
    reused_connection: false,
    dns_ms: 0.3,
    connect_ms: 0.5,
    tls_ms: null,
    send_ms: 0.1,
    wait_ms: 11.2,
    receive_ms: 0.3,
  },
  request: {
    url: EXAMPLE_URL,
    headers: { 'Content-Type': 'application/json', ...signatureHeaders },
    body,
    signed_content: `${SIGNED_AT}.${body}`,
  },
  response: {
    headers: { 'content-type': 'text/plain' },
    body: 'Service Unavailable',
    encoding: 'utf8',
    truncated: false,
  },
};

export const verification: Verification = {
  ok: true,
  reason: null,
  detail: 'The signature is valid, and its timestamp is 120ms old.',
  remedy: null,
  scheme: 'svc',
};

export const attemptDetail: AttemptDetail = { ...attempt, verification };

const { request: _request, response: _response, ...attemptFields } = attempt;
export const attemptSummary: AttemptSummary = {
  ...attemptFields,
  delivery_id: delivery.id,
  event_type: delivery.event_type,
  webhook_id: delivery.webhook_id,
};

/** The `usage` error of a clock move to a time in the past. */
export const pastTimeMessage =
  '2026-11-20T14:00:00.000Z is before the schedule time 2026-11-20T14:05:30.000Z.';

export const plannedAttempts = [
  RETRY_AT,
  '2026-11-20T14:40:00.000Z',
  '2026-11-20T16:40:00.000Z',
  '2026-11-20T22:40:00.000Z',
  '2026-11-21T10:40:00.000Z',
  '2026-11-22T10:40:00.000Z',
  '2026-11-23T10:40:00.000Z',
];

const signedParts: SignatureDetail['signed_parts'] = [
  { part: 'timestamp', text: SIGNED_AT },
  { part: 'literal', text: '.' },
  { part: 'body', text: body },
];

export const signatureDetail: SignatureDetail = {
  scheme: 'svc',
  attempt: 1,
  headers: signatureHeaders,
  signed_parts: signedParts,
  secrets: [{ name: 'current', masked: 'whsec_…2miI', signature: EXAMPLE_SIGNATURE, matches: true }],
  verification,
  reserialized: null,
};

export const explanation: Explanation = {
  delivery,
  attempt: {
    number: 1,
    trigger: 'schedule',
    sent_at: SENT_AT,
    duration_ms: 12.4,
    outcome: 'http_error',
    response_status: 503,
    error: 'the receiver responded with 503 Service Unavailable',
    response_body: 'Service Unavailable',
  },
  summary: 'Attempt 1 failed. A retry is scheduled.',
  cause: 'receiver_error',
  certainty: 'certain',
  detail: 'Your receiver returned 503.',
  mistake: null,
  evidence: [],
  signature: null,
  remedy: 'Read the response and the log of the receiver to find the error.',
  next: [
    {
      purpose: 'Send the delivery again after the correction',
      command: `svc deliveries replay ${ids.delivery} --wait`,
    },
  ],
};

export const signatureCheck: SignatureCheck = {
  signed_parts: signedParts,
  signatures: [{ signature: EXAMPLE_SIGNATURE, matches: true }],
  verification,
};

export const clockState: ClockState = {
  workspace_id: ids.workspace,
  now: '2026-11-20T14:05:30.000Z',
  rate: 1,
  wall: '2026-11-20T14:05:30.000Z',
  next_due_at: RETRY_AT,
};

export const clockMove: ClockMove = {
  ...clockState,
  now: RETRY_AT,
  next_due_at: null,
  attempts: [
    {
      ...attemptSummary,
      id: `att_${EXAMPLE_ULID}_2`,
      number: 2,
      scheduled_at: RETRY_AT,
      sent_at: '2026-11-20T14:05:29.980Z',
      outcome: 'succeeded',
      response_status: 200,
      error: null,
    },
  ],
  pending: 0,
  paused: [],
};

export const fault: Fault = {
  id: ids.fault,
  on: 'delivery',
  kind: 'duplicate',
  probability: 1,
  count: 1,
  fired: 0,
  created_at: CREATED_AT,
};

export const deliveryCounts: DeliveryStatusCounts = {
  pending: 12,
  failing: 3,
  paused: 0,
  failed: 1,
  canceled: 0,
};

export const overview: Overview = {
  workspace_id: ids.workspace,
  clock: 'schedule',
  bucket_ms: 10_000,
  ends_at: '2026-11-20T14:05:10.000Z',
  buckets: [{ starts_at: CREATED_AT, succeeded: 4, failed: 1, retried: 0 }],
  has_deliveries: true,
  delivery_counts: deliveryCounts,
  endpoints: [
    {
      webhook_id: ids.webhook,
      url: EXAMPLE_URL,
      disabled: false,
      attempts: 5,
      succeeded: 4,
      p95_ms: 38.2,
      last_failure: attemptSummary,
      next_attempt_at: RETRY_AT,
    },
  ],
  has_more_endpoints: false,
  due: [delivery],
  faults: [fault],
};

export const apiRequest: ApiRequest = {
  id: ids.request,
  at: CREATED_AT,
  method: 'POST',
  path: '/v1/events',
  status: 201,
  error_code: null,
  error_message: null,
  duration_ms: 3.2,
  api_key_id: ids.apiKey,
  api_key_name: 'Checkout',
  workspace_id: ids.workspace,
  resource_id: ids.event,
  user_agent: 'curl/8.14.1',
};

const eventText = JSON.stringify(event);

export const apiRequestDetail: ApiRequestDetail = {
  ...apiRequest,
  request: {
    headers: {
      host: '127.0.0.1:4777',
      'user-agent': 'curl/8.14.1',
      authorization: 'Bearer svc_test_…_0hY',
      'content-type': 'application/json',
      'content-length': '24',
    },
    body: '{"type":"order.shipped"}',
    encoding: 'utf8',
    size_bytes: 24,
    truncated: false,
  },
  response: {
    headers: { 'content-type': 'application/json; charset=utf-8', 'request-id': ids.request },
    body: eventText,
    encoding: 'utf8',
    size_bytes: eventText.length,
    truncated: false,
  },
};

export const eventTrace: EventTrace = {
  event: eventSummary,
  request: apiRequest,
  deliveries: [{ ...delivery, attempts: [attemptSummary] }],
  has_more: false,
  end_cursor: delivery.id,
};

export const webhookProbe: WebhookProbe = {
  webhook_id: ids.webhook,
  url: EXAMPLE_URL,
  connection: {
    outcome: 'connected',
    error: null,
    duration_ms: 1.2,
    address: '127.0.0.1',
    certificate: null,
  },
  genuine: { outcome: 'succeeded', response_status: 200, error: null, duration_ms: 4.1 },
  forged: {
    outcome: 'http_error',
    response_status: 400,
    error: 'the receiver responded with 400 Bad Request',
    duration_ms: 2.3,
  },
};

export const status: EmulatorStatus = {
  url: 'http://127.0.0.1:4777',
  base_url: 'http://127.0.0.1:4777/v1',
  control_url: 'http://127.0.0.1:4777/_svc',
  dashboard_url: 'http://127.0.0.1:4777/',
  environment: 'sandbox',
  profile: 'relaxed',
  workspace_id: ids.workspace,
  api_key: 'svc_test_HJhjN2ltch3_pftOBqGK9wU3wFtk_0hY',
  pid: 4131,
  version: '0.1.0',
  db: '/home/me/project/.svc/sandbox.db',
  started_at: CREATED_AT,
  boot_ms: 180,
  max_attempts: 8,
  payload_member: 'payload',
  deliveries: { pending: 1, in_flight: 0 },
  retention: { days: 30, requests: 100_000, megabytes: 1024 },
};

export const controlIndex: ControlIndex = {
  version: status.version,
  base_url: status.base_url,
  control_url: status.control_url,
  dashboard_url: status.dashboard_url,
  docs_url: 'file:///home/me/project/node_modules/svc-emulator/docs/README.md',
  openapi_url: `${status.control_url}/openapi.json`,
  operations: [
    { method: 'GET', url: `${status.control_url}/status`, summary: 'Show the emulator status' },
    { method: 'POST', url: `${status.control_url}/clock/advance`, summary: 'Advance the clock' },
  ],
};

/** The last page of a list. */
export function page<Item extends { readonly id: string }>(item: Item) {
  return { data: [item], has_more: false, end_cursor: item.id };
}
