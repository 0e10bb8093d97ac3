/** The control plane at `/_svc`: everything that the commands, the dashboard and the library do beyond `/v1`. */
import { isAbsolute } from 'node:path';
import * as v from 'valibot';
import { deliveryStatuses } from '../domain/delivery.ts';
import { DAY_MS, parseDuration } from '../domain/duration.ts';
import { WILDCARD } from '../domain/event.ts';
import { findFaultProblem } from '../domain/fault.ts';
import { ExtraHeaders, Name, Secret, Speed } from './fields.ts';
import { defineOperations, type OperationInput, type OperationOutput, wholeNumber } from './operation.ts';
import {
  ApiKey,
  ApiRequest,
  ClockMove,
  ClockState,
  CreatedApiKey,
  Delivery,
  DeliveryDetail,
  Diagnosis,
  EmulatorStatus,
  Fault,
  idOf,
  NewFault,
  pageOf,
  SavedSnapshot,
  ScopeName,
  type StreamItem,
  Timestamp,
  Verification,
  WebhookDetail,
  WebhookProbe,
  WebhookWithSecret,
  Workspace,
} from './resources.ts';

const nothing = v.strictObject({});

/** The emulator may run in another folder than who asks. */
const FilePath = v.pipe(v.string(), v.check(isAbsolute, 'must be an absolute path'));

const Limit = v.optional(wholeNumber(1, 1000), 50);

/** A point in time: ISO 8601, or a duration before now such as `1h`. */
const Since = v.pipe(
  v.string(),
  v.check(
    (text) => parseDuration(text) !== null || !Number.isNaN(Date.parse(text)),
    'must be a duration (1h) or an ISO 8601 time',
  ),
);

/** A hundred years: farther than any schedule, and still a date. */
const MAX_ADVANCE_MS = 100 * 365 * DAY_MS;

/** A year: longer than anybody takes to change a secret over. */
const MAX_OVERLAP_MS = 365 * DAY_MS;

const page = { limit: Limit, starting_after: v.optional(v.string()) };
const ofWorkspace = { workspace_id: v.optional(idOf('workspace')) };

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

const PossibleFault = v.pipe(
  NewFault,
  v.rawCheck(({ dataset, addIssue }) => {
    const { value } = dataset;
    const found = dataset.typed ? findFaultProblem(dataset.value) : null;
    if (found === null) return;
    const { member: key, problem: message } = found;
    addIssue({
      message,
      path: [{ type: 'object', origin: 'value', input: value as never, key, value: null }],
    });
  }),
);

export const controlOperations = defineOperations({
  getStatus: {
    method: 'GET',
    path: '/status',
    summary: 'What runs here',
    input: nothing,
    output: EmulatorStatus,
    status: 200,
  },
  getDiagnosis: {
    method: 'GET',
    path: '/diagnosis',
    summary: 'Check the database; reads all of it, and nothing else is answered meanwhile',
    input: nothing,
    output: Diagnosis,
    status: 200,
  },
  reset: {
    method: 'POST',
    path: '/reset',
    summary: 'Give back exactly the state after boot, or after the last snapshot was loaded',
    input: nothing,
    output: EmulatorStatus,
    status: 200,
  },
  saveSnapshot: {
    method: 'POST',
    path: '/snapshot/save',
    summary: 'Write everything into one file of the machine of the emulator; whole or not at all',
    input: v.strictObject({ path: FilePath }),
    output: SavedSnapshot,
    status: 200,
    errors: ['usage'],
  },
  loadSnapshot: {
    method: 'POST',
    path: '/snapshot/load',
    summary: 'Replace everything by a snapshot, and go on from there',
    input: v.strictObject({ path: FilePath }),
    output: EmulatorStatus,
    status: 200,
    errors: ['usage', 'validation_failed', 'database_unusable'],
  },
  stop: {
    method: 'POST',
    path: '/stop',
    summary: 'Stop the emulator',
    input: nothing,
    output: v.object({ stopping: v.literal(true) }),
    status: 202,
  },

  listWorkspaces: {
    method: 'GET',
    path: '/workspaces',
    summary: 'List workspaces, newest first',
    input: v.strictObject(page),
    output: pageOf(Workspace),
    status: 200,
  },
  createWorkspace: {
    method: 'POST',
    path: '/workspaces',
    summary: 'Create a workspace',
    input: v.strictObject({ name: Name }),
    output: Workspace,
    status: 201,
  },
  getWorkspace: {
    method: 'GET',
    path: '/workspaces/{id}',
    summary: 'Retrieve a workspace',
    input: v.strictObject({ id: v.string() }),
    output: Workspace,
    status: 200,
  },

  listKeys: {
    method: 'GET',
    path: '/keys',
    summary: 'List API keys, newest first',
    input: v.strictObject({ ...page, ...ofWorkspace }),
    output: pageOf(ApiKey),
    status: 200,
  },
  createKey: {
    method: 'POST',
    path: '/keys',
    summary:
      'Create an API key, restricted to scopes and, if named, to one workspace; the key is shown this once',
    input: v.strictObject({
      scopes: v.pipe(v.array(ScopeName), v.minLength(1)),
      workspace_id: v.optional(v.nullable(idOf('workspace'))),
    }),
    output: CreatedApiKey,
    status: 201,
  },
  revokeKey: {
    method: 'POST',
    path: '/keys/{id}/revoke',
    summary: 'Revoke an API key',
    input: v.strictObject({ id: v.string() }),
    output: ApiKey,
    status: 200,
  },

  listWebhooks: {
    method: 'GET',
    path: '/webhooks',
    summary: 'List endpoints, newest first',
    input: v.strictObject({ ...page, ...ofWorkspace }),
    output: pageOf(WebhookDetail),
    status: 200,
  },
  createWebhook: {
    method: 'POST',
    path: '/webhooks',
    summary:
      'Register an endpoint, with what the API has no words for; an address that had one before keeps its secret',
    input: v.strictObject({
      ...ofWorkspace,
      url: v.string(),
      events: v.optional(v.array(v.string()), [WILDCARD]),
      headers: v.optional(ExtraHeaders, {}),
      /** Take any TLS certificate of the receiver. */
      skip_verify: v.optional(v.boolean(), false),
      /** The secret of a new endpoint. */
      secret: v.optional(Secret),
      /** Remove it when no live stream with it as its `listener` has been open for ten seconds. */
      listener: v.optional(v.boolean(), false),
      /** Let the endpoint of this address go on instead of a second one; of listeners, the one that was left. */
      reuse: v.optional(v.boolean(), false),
    }),
    output: WebhookWithSecret,
    status: 201,
    errors: ['validation_failed'],
  },
  getWebhook: {
    method: 'GET',
    path: '/webhooks/{id}',
    summary: 'Retrieve an endpoint',
    input: v.strictObject({ id: v.string() }),
    output: WebhookDetail,
    status: 200,
  },
  updateWebhook: {
    method: 'PATCH',
    path: '/webhooks/{id}',
    summary: 'Change an endpoint: address, subscriptions, headers, or whether it takes deliveries',
    input: v.strictObject({
      id: v.string(),
      url: v.optional(v.string()),
      events: v.optional(v.array(v.string())),
      disabled: v.optional(v.boolean()),
      headers: v.optional(ExtraHeaders),
      skip_verify: v.optional(v.boolean()),
    }),
    output: WebhookDetail,
    status: 200,
    errors: ['validation_failed'],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/webhooks/{id}',
    summary: 'Delete an endpoint; its pending deliveries are canceled',
    input: v.strictObject({ id: v.string() }),
    output: v.object({ id: idOf('webhook'), deleted: v.literal(true), canceled_deliveries: v.number() }),
    status: 200,
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/webhooks/{id}/rotate-secret',
    summary:
      'Give an endpoint a new secret, shown this once; the old one signs as well until the overlap ends',
    input: v.strictObject({
      id: v.string(),
      overlap_ms: v.optional(wholeNumber(0, MAX_OVERLAP_MS)),
    }),
    output: WebhookWithSecret,
    status: 200,
  },
  probeWebhook: {
    method: 'POST',
    path: '/webhooks/{id}/probe',
    summary:
      'Try an endpoint out: connect, then send it a delivery of type svc.probe under its secret, and one under another; neither is recorded',
    input: v.strictObject({
      id: v.string(),
      /** False to connect and send nothing. */
      send: v.optional(v.boolean(), true),
    }),
    output: WebhookProbe,
    status: 200,
  },

  listDeliveries: {
    method: 'GET',
    path: '/deliveries',
    summary: 'List deliveries, newest first',
    input: v.strictObject({ ...page, ...DeliveryFilter }),
    output: pageOf(Delivery),
    status: 200,
  },
  getDelivery: {
    method: 'GET',
    path: '/deliveries/{id}',
    summary: 'Everything about one delivery',
    input: v.strictObject({ id: v.string() }),
    output: DeliveryDetail,
    status: 200,
  },
  verifyDelivery: {
    method: 'POST',
    path: '/deliveries/{id}/verify',
    summary:
      'Verify the last attempt of a delivery as a receiver does, and say what is wrong where it is refused',
    input: v.strictObject({
      id: v.string(),
      /** What the receiver verifies with; the secrets of the endpoint when left out. */
      secrets: v.optional(v.array(v.string())),
      /** The body as the receiver has it, in base64; as it was sent when left out. */
      payload_base64: v.optional(v.pipe(v.string(), v.base64('must be base64'))),
      /** The time to judge at; that of the attempt when left out. */
      now: v.optional(Timestamp),
      tolerance_ms: v.optional(wholeNumber(0)),
    }),
    output: Verification,
    status: 200,
  },
  replayDelivery: {
    method: 'POST',
    path: '/deliveries/{id}/replay',
    summary:
      'Send a delivery again: as a new attempt, or as a new delivery where its id, address or body is to differ',
    input: v.strictObject({
      id: v.string(),
      /** A new delivery with `replay_of` instead of a new attempt. */
      new_id: v.optional(v.boolean()),
      /** Another address; makes a new delivery. */
      url: v.optional(v.string()),
      /** Another body, as JSON text; makes a new delivery. */
      body: v.optional(v.string()),
    }),
    output: Delivery,
    status: 202,
    errors: ['validation_failed', 'conflict'],
  },

  getClock: {
    method: 'GET',
    path: '/clock',
    summary: 'The schedule clock of a workspace',
    input: v.strictObject(ofWorkspace),
    output: ClockState,
    status: 200,
  },
  setClock: {
    method: 'PATCH',
    path: '/clock',
    summary: 'Set the speed of the schedule clock, freeze it or let it go on',
    input: v.strictObject({
      ...ofWorkspace,
      speed: v.optional(Speed),
      frozen: v.optional(v.boolean()),
    }),
    output: ClockState,
    status: 200,
  },
  advanceClock: {
    method: 'POST',
    path: '/clock/advance',
    summary:
      'Move the clock forward from due instant to due instant; answers when all that this caused is answered',
    input: v.strictObject({ ...ofWorkspace, ms: wholeNumber(0, MAX_ADVANCE_MS) }),
    output: ClockMove,
    status: 200,
  },
  nextClock: {
    method: 'POST',
    path: '/clock/next',
    summary: 'Move the clock to the next due instant',
    input: v.strictObject(ofWorkspace),
    output: ClockMove,
    status: 200,
  },
  settleClock: {
    method: 'POST',
    path: '/clock/settle',
    summary: 'Move the clock until no delivery is pending any more',
    input: v.strictObject(ofWorkspace),
    output: ClockMove,
    status: 200,
  },

  addFault: {
    method: 'POST',
    path: '/faults',
    summary: 'Order a fault on requests to /v1 or on deliveries; the oldest that is met fires',
    input: PossibleFault,
    output: Fault,
    status: 201,
    errors: ['validation_failed'],
  },
  listFaults: {
    method: 'GET',
    path: '/faults',
    summary: 'List faults, newest first, with how often each has fired',
    input: v.strictObject({ ...page, ...ofWorkspace }),
    output: pageOf(Fault),
    status: 200,
  },
  clearFaults: {
    method: 'POST',
    path: '/faults/clear',
    summary: 'Remove a fault, those of a workspace, or all',
    input: v.strictObject({ ...ofWorkspace, id: v.optional(idOf('fault')) }),
    output: v.object({ cleared: v.number() }),
    status: 200,
  },

  listRequests: {
    method: 'GET',
    path: '/requests',
    summary: 'List the requests made to /v1, newest first',
    input: v.strictObject({ ...page, ...RequestFilter }),
    output: pageOf(ApiRequest),
    status: 200,
  },
});

/** `a,b`, as a query carries it. */
function listInText<Item extends v.GenericSchema<string>>(item: Item) {
  return v.pipe(
    v.string(),
    v.transform((text) => text.split(',')),
    v.array(item),
  );
}

/** What the live stream can be narrowed to. `since_sequence` is where to go on; without it the stream starts now. */
export const StreamInput = v.strictObject({
  types: v.optional(listInText(v.picklist(['delivery', 'attempt', 'request']))),
  /** Endpoints that the follower listens for: only what concerns them is shown, and they stay as long as it follows. */
  listener: v.optional(listInText(idOf('webhook'))),
  since_sequence: v.optional(wholeNumber(0)),
  ...DeliveryFilter,
});

export type ControlOperations = typeof controlOperations;
export type ControlInput<Name extends keyof ControlOperations> = OperationInput<ControlOperations[Name]>;
export type ControlOutput<Name extends keyof ControlOperations> = OperationOutput<ControlOperations[Name]>;
export type StreamInput = v.InferInput<typeof StreamInput>;
export type { StreamItem };
