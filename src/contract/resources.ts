/**
 * One schema per resource. Types, validation and both OpenAPI documents come from these; nothing else describes the
 * shape of anything that goes over the wire. Names are snake_case, times ISO 8601 UTC, durations end in `_ms` (§2).
 */
import * as v from 'valibot';
import { environments, scopes } from '../domain/access.ts';
import { attemptOutcomes, attemptTriggers, deliveryStatuses, settledReasons } from '../domain/delivery.ts';
import { DAY_MS } from '../domain/duration.ts';
import { deliveryFaultKinds, faultTargets, requestDrops, requestFaultKinds } from '../domain/fault.ts';
import { type IdKind, idPatterns, idPrefixes } from '../domain/ids.ts';
import { refusalReasons } from '../domain/signature/explain.ts';
import { profileNames } from '../profile/rules.ts';
import { wholeNumber } from './operation.ts';

export const idOf = (kind: IdKind) =>
  v.pipe(
    v.string(),
    v.regex(idPatterns[kind], `must be an id that starts with ${idPrefixes[kind]}`),
    v.metadata({ examples: [`${idPrefixes[kind]}01JD3Z5K8Q4W6X7Y8Z9A0B1C2D`] }),
  );
export const Timestamp = v.pipe(v.string(), v.isoTimestamp('must be an ISO 8601 time in UTC'));
const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
export const JsonObject = v.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be a JSON object',
);
const Headers = v.record(v.string(), v.string());

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
  type: v.string(),
  payload: JsonObject,
  created_at: Timestamp,
});

export const Webhook = v.object({
  id: idOf('webhook'),
  workspace_id: idOf('workspace'),
  url: v.string(),
  events: v.array(v.string()),
  created_at: Timestamp,
});

/** The creation response: the only one that carries the secret (§2). */
export const CreatedWebhook = v.object({ ...Webhook.entries, secret: v.string() });

export const ErrorBody = v.strictObject({
  error: v.strictObject({ code: v.string(), message: v.string(), request_id: idOf('request') }),
});

/** An error of the control plane has, for people, the next step as well. */
export const ControlErrorBody = v.strictObject({
  error: v.strictObject({ ...ErrorBody.entries.error.entries, hint: v.optional(v.string()) }),
});

/** A page of a list (§2): `end_cursor` is the id of the last item, null when the page is empty. */
export const pageOf = <Item extends v.GenericSchema>(item: Item) =>
  v.object({ data: v.array(item), has_more: v.boolean(), end_cursor: v.nullable(v.string()) });

export const ApiKey = v.object({
  id: idOf('apiKey'),
  scopes: v.array(ScopeName),
  /** Null for a key that is for every workspace. */
  workspace_id: v.nullable(idOf('workspace')),
  /** The last four characters of the key, to tell keys apart; the key itself is stored only as a hash. */
  last4: v.string(),
  created_at: Timestamp,
  revoked_at: v.nullable(Timestamp),
});
export const CreatedApiKey = v.object({ ...ApiKey.entries, key: v.string() });

export const WebhookDetail = v.object({
  ...Webhook.entries,
  disabled: v.boolean(),
  /** Carried by each delivery, beside those that every delivery has (§6). */
  headers: Headers,
  /** Whether any TLS certificate of the receiver is taken. */
  skip_verify: v.boolean(),
  /** Whether it is removed when nobody listens any more. */
  listener: v.boolean(),
  /** Until when the secret before the last rotation signs as well; null when there is none. */
  previous_secret_expires_at: v.nullable(Timestamp),
});
export const WebhookWithSecret = v.object({ ...WebhookDetail.entries, secret: v.string() });

const faultKinds = v.picklist([...requestFaultKinds, ...deliveryFaultKinds]);

/** The fault that touched a request or an attempt; absent where none did. */
const faultMark = { fault: v.optional(v.object({ id: idOf('fault'), kind: faultKinds })) };

export const Attempt = v.object({
  id: v.string(),
  number: v.pipe(v.number(), v.integer(), v.minValue(1)),
  trigger: v.picklist(attemptTriggers),
  /** Schedule time at which it was due. */
  scheduled_at: Timestamp,
  /** Wall time at which it was sent. */
  sent_at: Timestamp,
  duration_ms: v.number(),
  outcome: v.picklist(attemptOutcomes),
  response_status: v.nullable(v.number()),
  /** What went wrong, in words; null on success. */
  error: v.nullable(v.string()),
  ...faultMark,
  request: v.object({
    url: v.string(),
    headers: Headers,
    body: v.string(),
    /** The string that the signature in the headers covers. */
    signed_content: v.string(),
  }),
  response: v.nullable(
    v.object({
      headers: Headers,
      /** Text, or base64 where `encoding` says so. */
      body: v.string(),
      encoding: v.picklist(['utf8', 'base64']),
      truncated: v.boolean(),
    }),
  ),
});

export const Delivery = v.object({
  id: idOf('delivery'),
  event_id: idOf('event'),
  event_type: v.string(),
  workspace_id: idOf('workspace'),
  webhook_id: idOf('webhook'),
  url: v.string(),
  status: v.picklist(deliveryStatuses),
  /** Why it stopped without success; null otherwise. */
  settled_reason: v.nullable(v.picklist(settledReasons)),
  attempt_count: Count,
  /** Schedule time of the next attempt; null when none is planned. */
  next_attempt_at: v.nullable(Timestamp),
  created_at: Timestamp,
  settled_at: v.nullable(Timestamp),
  replay_of: v.nullable(idOf('delivery')),
});
/** What verification came to, in the words of `svc verify`. */
export const Verification = v.object({
  ok: v.boolean(),
  /** Why it was refused; null when it was not. */
  reason: v.nullable(v.picklist(refusalReasons)),
  detail: v.string(),
  /** What to do about it; null when it was not refused. */
  remedy: v.nullable(v.string()),
  scheme: v.string(),
});
export const AttemptDetail = v.object({
  ...Attempt.entries,
  /** What a receiver with the right secret finds; null where that secret, or the scheme, is no longer known. */
  verification: v.nullable(Verification),
});
export const DeliveryDetail = v.object({ ...Delivery.entries, attempts: v.array(AttemptDetail) });

/** An attempt in a list of many: without what was sent and answered. */
export const AttemptSummary = v.object({
  ...v.omit(Attempt, ['request', 'response']).entries,
  delivery_id: idOf('delivery'),
  event_type: v.string(),
  webhook_id: idOf('webhook'),
});

/** The schedule clock of a workspace. */
export const ClockState = v.object({
  workspace_id: idOf('workspace'),
  /** Schedule time. */
  now: Timestamp,
  /** Schedule seconds per real second; 0 while frozen. */
  rate: v.number(),
  /** Wall time. */
  wall: Timestamp,
  /** Schedule time at which the next delivery is due; null when none is planned. */
  next_due_at: v.nullable(Timestamp),
});

/** What moving the clock caused. */
export const ClockMove = v.object({
  ...ClockState.entries,
  attempts: v.array(AttemptSummary),
  /** Deliveries that are still pending. */
  pending: Count,
});

/** One request to `/v1`, as the log keeps it. */
export const ApiRequest = v.object({
  id: idOf('request'),
  at: Timestamp,
  method: v.string(),
  path: v.string(),
  status: v.number(),
  error_code: v.nullable(v.string()),
  duration_ms: v.number(),
  api_key_id: v.nullable(v.string()),
  workspace_id: v.nullable(v.string()),
  ...faultMark,
});

const PROBABILITY = 'must be above 0 and at most 1';
/** A timer of Node.js cannot wait for a month; nobody waits for an answer longer than this. */
const MAX_LATENCY_MS = DAY_MS;
const MAX_DELAY_MS = 30 * DAY_MS;

/** What a fault is restricted to and what it does, each left out where it is not meant. */
export const NewFault = v.strictObject({
  on: v.picklist(faultTargets),
  /** Only in this workspace: for requests, that of their key. */
  workspace_id: v.optional(idOf('workspace')),
  method: v.optional(v.pipe(v.string(), v.toUpperCase())),
  /** A path of the API; a segment `*` or `{id}` stands for any one. */
  path: v.optional(v.pipe(v.string(), v.startsWith('/', 'must start with /'))),
  api_key_id: v.optional(idOf('apiKey')),
  status: v.optional(wholeNumber(400, 599)),
  error_code: v.optional(v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be like rate_limited'))),
  /** Real time before the request is looked at any further. */
  latency_ms: v.optional(wholeNumber(1, MAX_LATENCY_MS)),
  /** Gives no answer: `before` the operation is done, or `after` it. */
  drop: v.optional(v.picklist(requestDrops)),
  /** What becomes of a delivery. */
  kind: v.optional(v.picklist(deliveryFaultKinds)),
  webhook_id: v.optional(idOf('webhook')),
  /** Event type. */
  type: v.optional(v.string()),
  /** For `delay` and, at most, `reorder`: schedule time. For `slow-body`: real time. */
  delay_ms: v.optional(wholeNumber(1, MAX_DELAY_MS)),
  probability: v.optional(v.pipe(v.number(), v.gtValue(0, PROBABILITY), v.maxValue(1, PROBABILITY)), 1),
  /** How often it fires; without it, until it is cleared. */
  count: v.optional(wholeNumber(1)),
});

export const Fault = v.object({
  id: idOf('fault'),
  ...NewFault.entries,
  probability: v.number(),
  /** How often it has fired. */
  fired: Count,
  created_at: Timestamp,
});

export const EmulatorStatus = v.object({
  url: v.string(),
  base_url: v.string(),
  control_url: v.string(),
  dashboard_url: v.string(),
  environment: EnvironmentName,
  profile: v.picklist(profileNames),
  workspace_id: idOf('workspace'),
  api_key: v.string(),
  webhook_id: v.optional(idOf('webhook')),
  webhook_secret: v.optional(v.string()),
  pid: Count,
  version: v.string(),
  /** Path of the database file, or `:memory:`. */
  db: v.string(),
  started_at: Timestamp,
  /** From the start to the first request that could be answered. */
  boot_ms: Count,
  /** Attempts that the retry schedule has for a delivery that always fails. */
  max_attempts: Count,
  deliveries: v.object({ pending: Count, in_flight: Count }),
});

/** What the running emulator finds out about itself that nobody else can: it has the database to itself. */
export const Diagnosis = v.object({
  database: v.object({
    size_bytes: Count,
    schema_version: Count,
    newest_schema_version: Count,
    /** What SQLite finds damaged; empty when it is sound. */
    damage: v.array(v.string()),
  }),
});

const ProbeAnswer = v.object({
  outcome: v.picklist(attemptOutcomes),
  response_status: v.nullable(v.number()),
  error: v.nullable(v.string()),
  duration_ms: v.number(),
});

/** What came of trying an endpoint out. */
export const WebhookProbe = v.object({
  webhook_id: idOf('webhook'),
  url: v.string(),
  connection: v.object({
    outcome: v.picklist(['connected', ...attemptOutcomes]),
    error: v.nullable(v.string()),
    duration_ms: v.number(),
    /** The address that was dialled; null without a connection. */
    address: v.nullable(v.string()),
    /** The certificate that was accepted; null without TLS. */
    certificate: v.nullable(v.object({ issuer: v.string(), valid_to: Timestamp })),
  }),
  /** The answer to a delivery of type `svc.probe` under the endpoint's secret; null where none was sent. */
  genuine: v.nullable(ProbeAnswer),
  /** The answer to the same under another secret. */
  forged: v.nullable(ProbeAnswer),
});

export const SavedSnapshot = v.object({
  path: v.string(),
  size_bytes: Count,
  /** Wall time of what it holds. */
  saved_at: Timestamp,
});

/** One item of the live stream. `sequence` only grows; the stream resumes after the last one seen. */
export const StreamItem = v.variant('type', [
  v.object({ type: v.literal('delivery'), sequence: Count, delivery: Delivery }),
  v.object({ type: v.literal('attempt'), sequence: Count, attempt: Attempt, delivery: Delivery }),
  v.object({ type: v.literal('request'), sequence: Count, request: ApiRequest }),
]);

export type Workspace = v.InferOutput<typeof Workspace>;
export type Event = v.InferOutput<typeof Event>;
export type Webhook = v.InferOutput<typeof Webhook>;
export type CreatedWebhook = v.InferOutput<typeof CreatedWebhook>;
export type WebhookDetail = v.InferOutput<typeof WebhookDetail>;
export type WebhookWithSecret = v.InferOutput<typeof WebhookWithSecret>;
export type ApiKey = v.InferOutput<typeof ApiKey>;
export type CreatedApiKey = v.InferOutput<typeof CreatedApiKey>;
export type Attempt = v.InferOutput<typeof Attempt>;
export type AttemptDetail = v.InferOutput<typeof AttemptDetail>;
export type Verification = v.InferOutput<typeof Verification>;
export type AttemptSummary = v.InferOutput<typeof AttemptSummary>;
export type ClockState = v.InferOutput<typeof ClockState>;
export type ClockMove = v.InferOutput<typeof ClockMove>;
export type Delivery = v.InferOutput<typeof Delivery>;
export type DeliveryDetail = v.InferOutput<typeof DeliveryDetail>;
export type ApiRequest = v.InferOutput<typeof ApiRequest>;
export type Fault = v.InferOutput<typeof Fault>;
export type WebhookProbe = v.InferOutput<typeof WebhookProbe>;
export type Diagnosis = v.InferOutput<typeof Diagnosis>;
export type EmulatorStatus = v.InferOutput<typeof EmulatorStatus>;
export type SavedSnapshot = v.InferOutput<typeof SavedSnapshot>;
export type StreamItem = v.InferOutput<typeof StreamItem>;
export type ErrorBody = v.InferOutput<typeof ErrorBody>;
export type ControlErrorBody = v.InferOutput<typeof ControlErrorBody>;
export type Page<Item> = { data: Item[]; has_more: boolean; end_cursor: string | null };
