/** The operations of the control plane at `/_svc`, which the commands, the dashboard and the library use. */

import * as v from 'valibot';
import { MAX_OVERLAP_MS } from '../domain/credentials.ts';
import { DAY_MS } from '../domain/duration.ts';
import { isJsonObjectText } from '../domain/json-text.ts';
import { pageOf } from '../resources/define-resource.ts';
import { Delivery, DeliveryDetail, DeliveryFilter, ListedDelivery } from '../resources/delivery.ts';
import {
  endpointChangeFields,
  newEndpointFields,
  RegisteredWebhook,
  WebhookDetail,
  WebhookSecrets,
  WebhookWithSecret,
} from '../resources/endpoint.ts';
import { EventDetail, EventFilter, EventSummary } from '../resources/event.ts';
import { Fault, NewFaultInput } from '../resources/fault.ts';
import { ApiKey, CreatedApiKey, newKeyFields } from '../resources/key.ts';
import { WorkspaceFilter } from '../resources/list-fields.ts';
import { ApiRequest, ApiRequestDetail, RequestFilter } from '../resources/request.ts';
import { durationFrom, Speed, wholeNumberFrom } from '../resources/value-schemas.ts';
import {
  described,
  EventType,
  idField,
  idOf,
  noInput,
  resource,
  ScheduleTime,
  Secret,
  Timestamp,
} from '../resources/values.ts';
import { Verification } from '../resources/verification.ts';
import { newWorkspaceFields, Workspace } from '../resources/workspace.ts';
import { WebhookConnection } from './connection-schemas.ts';
import {
  ClockMove,
  ClockState,
  Diagnosis,
  EmulatorStatus,
  ResetResult,
  SavedSnapshot,
} from './emulator-schemas.ts';
import { Explanation } from './explanation-schemas.ts';
import { ExportedDelivery, ExportInput } from './export-schemas.ts';
import { FilledFixture, FixtureSummary } from './fixture-summaries.ts';
import { defineOperation, type OperationInput, type OperationOutput } from './operation.ts';
import { DeliveryStatusCounts, Overview, Schedule, WebhookWithStatistics } from './overview-schemas.ts';
import { DefaultWorkspace, PageFields } from './page-fields.ts';
import { SignatureDetail } from './signature-schemas.ts';
import { StreamInput, StreamItem } from './stream-schemas.ts';
import { WaitInput, WaitReport } from './wait-schemas.ts';

/** Absolute on POSIX or Windows (`C:\` or `\\server`), because the emulator can run in another folder than its client. */
const FilePath = v.pipe(v.string(), v.regex(/^(\/|[A-Za-z]:[\\/]|\\\\)/, 'must be an absolute path'));
const snapshotInput = v.strictObject({
  path: described('Absolute path on the machine that runs the emulator.', FilePath, '/tmp/state.svc'),
});

/** A hundred years, which is longer than any retry schedule or overlap. */
export const MAX_ADVANCE_MS = 100 * 365 * DAY_MS;

const deliveryId = idField('delivery');
const webhookId = idField('webhook');
const attempt = {
  attempt: described('Number of the attempt (default: the last attempt).', v.optional(wholeNumberFrom(1)), 1),
};
const ExplainedWorkspace = {
  workspace_id: described(
    'With `latest`: explain a delivery in this workspace (default: all workspaces).',
    v.optional(idOf('workspace')),
  ),
};

export const controlOperations = {
  // Emulator: status, reset, snapshots, stop.
  getStatus: defineOperation('GET', '/status', {
    summary: 'Show the emulator status',
    description: 'Returns the addresses, credentials and settings of the running emulator.',
    input: noInput,
    output: EmulatorStatus,
  }),
  getDiagnosis: defineOperation('GET', '/diagnosis', {
    summary: 'Check the database',
    description:
      'Runs an integrity check on the database. During the check, the emulator does not respond to other requests.',
    input: noInput,
    output: Diagnosis,
  }),
  reset: defineOperation('POST', '/reset', {
    summary: 'Reset the state',
    description:
      'Restores the state that the emulator had after startup, or after the last `POST /snapshot/load` if there was one. Call it before each test.',
    input: v.strictObject({
      all: described(
        'Remove all state, including that of the start. Only the default workspace, its API key and the endpoint of `--forward-to` are created again, with the same IDs and secrets, and the data of a seed.',
        v.optional(v.boolean(), false),
      ),
    }),
    output: ResetResult,
  }),
  saveSnapshot: defineOperation('POST', '/snapshot/save', {
    summary: 'Save a snapshot',
    description:
      'Writes the complete state to a file on the machine that runs the emulator. The write is atomic.',
    input: snapshotInput,
    output: SavedSnapshot,
  }),
  loadSnapshot: defineOperation('POST', '/snapshot/load', {
    summary: 'Load a snapshot',
    description:
      'Replaces the complete state with the state of a snapshot. A later reset restores that state.',
    input: snapshotInput,
    output: EmulatorStatus,
  }),
  stop: defineOperation('POST', '/stop', {
    summary: 'Stop the emulator',
    description: 'Stops the emulator after it has responded.',
    input: noInput,
    output: resource('The emulator is stopping.', { stopping: described('Always `true`.', v.literal(true)) }),
    status: 202,
  }),

  getOverview: defineOperation('GET', '/overview', {
    summary: 'Show an overview',
    description:
      'Returns the results of the newest 100 endpoints of a workspace, the deliveries that have not succeeded, and its active faults.',
    input: v.strictObject(DefaultWorkspace),
    output: Overview,
  }),
  getSchedule: defineOperation('GET', '/schedule', {
    summary: 'Show the schedule',
    description:
      "Returns the past and the scheduled attempts to the newest 100 endpoints of a workspace, grouped into marks. To list a mark's deliveries, use the filter `scheduled=FIRST_AT/LAST_AT`.",
    input: v.strictObject({
      ...DefaultWorkspace,
      at: described(
        'Schedule time that the attempts are grouped around (default: now).',
        v.optional(ScheduleTime),
      ),
    }),
    output: Schedule,
  }),

  // Schedule clock of a workspace.
  getClock: defineOperation('GET', '/clock', {
    summary: 'Show the clock',
    description: 'Returns the schedule time, the speed of the clock and the next due time.',
    input: v.strictObject(DefaultWorkspace),
    output: ClockState,
  }),
  setClock: defineOperation('PATCH', '/clock', {
    summary: 'Update the clock',
    description:
      'Sets the speed of the clock, or freezes or resumes the clock. The current schedule time does not change.',
    input: v.strictObject({
      ...DefaultWorkspace,
      speed: described('Speed of the clock, in schedule seconds per real second.', v.optional(Speed)),
      frozen: described('`true` to freeze the clock, `false` to resume it.', v.optional(v.boolean()), true),
    }),
    output: ClockState,
  }),
  advanceClock: defineOperation('POST', '/clock/advance', {
    summary: 'Advance the clock',
    description:
      'Moves the clock forward by `ms` or to `to`. Attempts that become due are sent in order, each at its due time. Responds when they have ended. If the client closes the connection, the clock stops.',
    input: v.pipe(
      v.strictObject({
        ...DefaultWorkspace,
        ms: described('Duration to move the clock.', v.optional(durationFrom(0, MAX_ADVANCE_MS)), '4m30s'),
        to: described(
          'Schedule time to move the clock to. It must not be before the current schedule time.',
          v.optional(ScheduleTime),
        ),
      }),
      v.check(({ ms, to }) => (ms === undefined) !== (to === undefined), 'must have either ms or to'),
    ),
    output: ClockMove,
  }),
  nextClock: defineOperation('POST', '/clock/next', {
    summary: 'Advance the clock to the next attempt',
    description:
      'Moves the clock forward to the next due time. Responds when all attempts that became due have ended.',
    input: v.strictObject(DefaultWorkspace),
    output: ClockMove,
  }),
  settleClock: defineOperation('POST', '/clock/settle', {
    summary: 'Advance the clock until all deliveries have settled',
    description:
      'Moves the clock forward until all deliveries have settled, except those to disabled endpoints. Responds when all attempts that became due have ended.',
    input: v.strictObject(DefaultWorkspace),
    output: ClockMove,
  }),
  // Workspaces and API keys.
  listWorkspaces: defineOperation('GET', '/workspaces', {
    summary: 'List workspaces',
    description: 'Returns workspaces, newest first.',
    input: v.strictObject(PageFields),
    output: pageOf(Workspace),
  }),
  createWorkspace: defineOperation('POST', '/workspaces', {
    summary: 'Create a workspace',
    description: 'Creates a workspace with its own clock. Create an API key for it with `POST /keys`.',
    input: v.strictObject(newWorkspaceFields),
    output: Workspace,
    status: 201,
  }),
  getWorkspace: defineOperation('GET', '/workspaces/{id}', {
    summary: 'Show a workspace',
    description: 'Returns a workspace by its ID.',
    input: v.strictObject(idField('workspace')),
    output: Workspace,
  }),
  listKeys: defineOperation('GET', '/keys', {
    summary: 'List API keys',
    description: 'Returns the metadata of API keys, newest first. The keys themselves are not included.',
    input: v.strictObject({ ...PageFields, ...WorkspaceFilter }),
    output: pageOf(ApiKey),
  }),
  createKey: defineOperation('POST', '/keys', {
    summary: 'Create an API key',
    description: 'Creates an API key. The response contains the key, which cannot be retrieved later.',
    input: v.strictObject({
      ...newKeyFields,
      workspace_id: described(
        'ID of the workspace to bind the key to (default: the key is valid for all workspaces).',
        v.optional(v.nullable(idOf('workspace'))),
      ),
    }),
    output: CreatedApiKey,
    status: 201,
  }),
  revokeKey: defineOperation('POST', '/keys/{id}/revoke', {
    summary: 'Revoke an API key',
    description: 'Revokes an API key. Later requests with this key fail with a 401 error.',
    input: v.strictObject(idField('apiKey')),
    output: ApiKey,
  }),

  // Endpoints.
  listWebhooks: defineOperation('GET', '/webhooks', {
    summary: 'List endpoints',
    description: 'Returns endpoints, newest first.',
    input: v.strictObject({ ...PageFields, ...WorkspaceFilter }),
    output: pageOf(WebhookDetail),
  }),
  createWebhook: defineOperation('POST', '/webhooks', {
    summary: 'Register an endpoint',
    description: 'Registers an endpoint. Supports more settings than `POST /v1/webhooks`.',
    input: v.strictObject({
      ...DefaultWorkspace,
      ...newEndpointFields,
      secret: described(
        'Secret of the endpoint (default: the secret of the last endpoint with this URL or, if there was none, a random secret).',
        v.optional(Secret),
      ),
      listener: v.optional(WebhookDetail.entries.listener, false),
      reuse: described(
        'Whether to update and enable an existing endpoint with this URL instead of registering a second one. The endpoint keeps its ID and its secret. An enabled endpoint that receives some of the same events is used unchanged if a live stream holds it or, with `listener`, if it is not temporary.',
        v.optional(v.boolean(), false),
      ),
    }),
    output: RegisteredWebhook,
    status: 201,
  }),
  getWebhook: defineOperation('GET', '/webhooks/{id}', {
    summary: 'Show an endpoint',
    description: 'Returns an endpoint, without its secret, and the results of its newest attempts.',
    input: v.strictObject(webhookId),
    output: WebhookWithStatistics,
  }),
  updateWebhook: defineOperation('PATCH', '/webhooks/{id}', {
    summary: 'Update an endpoint',
    description: 'Changes the fields that the request contains.',
    input: v.strictObject({ ...webhookId, ...endpointChangeFields }),
    output: WebhookDetail,
  }),
  deleteWebhook: defineOperation('DELETE', '/webhooks/{id}', {
    summary: 'Delete an endpoint',
    description: 'Deletes an endpoint and cancels its pending deliveries.',
    input: v.strictObject(webhookId),
    output: resource('The endpoint was deleted.', {
      id: described('ID of the endpoint.', idOf('webhook')),
      deleted: described('Always `true`.', v.literal(true)),
      canceled_deliveries: described('Number of deliveries that were canceled.', v.number()),
    }),
  }),
  rotateWebhookSecret: defineOperation('POST', '/webhooks/{id}/rotate-secret', {
    summary: 'Rotate an endpoint secret',
    description:
      'Replaces the secret of an endpoint with a new one. Until the overlap ends, deliveries are signed with both secrets.',
    input: v.strictObject({
      ...webhookId,
      overlap_ms: described(
        'Duration of the overlap in schedule time (default: `1d`).',
        v.optional(durationFrom(0, MAX_OVERLAP_MS)),
        '1h',
      ),
    }),
    output: WebhookWithSecret,
  }),
  revealSecret: defineOperation('POST', '/webhooks/{id}/reveal-secret', {
    summary: 'Show an endpoint secret',
    description: 'Returns the secret of an endpoint and, after a rotation, its previous secret.',
    input: v.strictObject(webhookId),
    output: WebhookSecrets,
  }),
  connectWebhook: defineOperation('POST', '/webhooks/{id}/connect', {
    summary: 'Connect to an endpoint',
    description: 'Connects to an endpoint, including the TLS handshake, without sending a request.',
    input: v.strictObject(webhookId),
    output: WebhookConnection,
  }),

  sendTestEvent: defineOperation('POST', '/webhooks/{id}/test-event', {
    summary: 'Send a test event to an endpoint',
    description:
      'Creates an event with a delivery to this endpoint only, even if it does not subscribe to the type. Responds before the attempt is sent.',
    input: v.strictObject({
      ...webhookId,
      type: described('Type of the event.', EventType, 'order.shipped'),
      payload_text: described(
        'Payload as JSON text. Numbers stay as they are written.',
        v.pipe(v.string(), v.check(isJsonObjectText, 'must be a JSON object')),
        '{"order_id":"ord_7KQ2M9"}',
      ),
    }),
    output: Delivery,
    status: 202,
  }),

  // Events. Unlike requests to `GET /v1/events`, these are not logged or rate-limited.
  listEvents: defineOperation('GET', '/events', {
    summary: 'List events',
    description: 'Returns events, newest first, with the number of deliveries of each event by status.',
    input: v.strictObject({ ...PageFields, ...EventFilter }),
    output: pageOf(EventSummary),
  }),
  getEvent: defineOperation('GET', '/events/{id}', {
    summary: 'Show an event',
    description: 'Returns an event, including the ID of the request that created it.',
    input: v.strictObject(idField('event')),
    output: EventDetail,
  }),

  // Deliveries and attempts.
  listDeliveries: defineOperation('GET', '/deliveries', {
    summary: 'List deliveries',
    description: 'Returns deliveries, newest first.',
    input: v.strictObject({ ...PageFields, ...DeliveryFilter }),
    output: pageOf(ListedDelivery),
  }),
  countDeliveries: defineOperation('GET', '/deliveries/counts', {
    summary: 'Count deliveries by status',
    description:
      'Returns the number of deliveries that have not succeeded, by status. Each count stops at 1,000.',
    input: v.strictObject(DefaultWorkspace),
    output: DeliveryStatusCounts,
  }),
  waitForDeliveries: defineOperation('POST', '/deliveries/wait', {
    summary: 'Wait for deliveries',
    description:
      "Waits until the selected deliveries settle: some by ID, those of an event, or all of a workspace, including existing ones. The wait does not move the clock.\n\nIt ends without that result as soon as a delivery settles with a status other than `status`, when none has been able to settle in time for a second, or after `timeout_ms` (default: `30s`, at most `1d`). The response then contains `settled: false`, the `reason`, a `message`, and a `hint` that says how to continue.\n\nNo delivery can settle in time if each next attempt is due later on its workspace's clock, or its endpoint is disabled, and no request moves the clock. So move the clock before you wait, or pass `keep_waiting` if another program moves it. A wait with a `count` always continues, because new deliveries can be created.",
    input: WaitInput,
    output: WaitReport,
  }),
  getDelivery: defineOperation('GET', '/deliveries/{id}', {
    summary: 'Show a delivery',
    description:
      'Returns a delivery with all of its attempts. An attempt includes the request and the response.',
    input: v.strictObject(deliveryId),
    output: DeliveryDetail,
  }),
  explainDelivery: defineOperation('GET', '/deliveries/{id}/explanation', {
    summary: 'Explain a delivery',
    description:
      'Explains why a delivery failed, or is waiting: the cause, what was ruled out, and what to do. Reads only what is recorded, and sends nothing.',
    input: v.strictObject({
      ...idField(
        'delivery',
        'ID of the delivery, or `latest` for the delivery that failed last. With the ID of an event, of an endpoint, or of a request that created one of them: its delivery that failed last, or its newest one.',
      ),
      ...attempt,
      ...ExplainedWorkspace,
    }),
    output: Explanation,
  }),
  probeDelivery: defineOperation('POST', '/deliveries/{id}/probe', {
    summary: 'Find the mistake of a receiver',
    description:
      'Explains a delivery that the receiver rejected: sends it again with the correct signature, with a random one, and signed with each known mistake, until the receiver accepts one. Only a receiver with this mistake accepts it. The requests are not recorded. A receiver that accepts one processes the event. A delivery that was not rejected is only explained.',
    input: v.strictObject({
      ...idField('delivery', 'ID of the delivery, or any other value that explaining a delivery accepts.'),
      ...ExplainedWorkspace,
    }),
    output: Explanation,
  }),
  describeSignature: defineOperation('GET', '/deliveries/{id}/signature', {
    summary: 'Explain a signature',
    description:
      'Explains how an attempt was signed. The response contains the signed text, the secrets and the verification result.',
    input: v.strictObject({ ...deliveryId, ...attempt }),
    output: SignatureDetail,
  }),
  verifyDelivery: defineOperation('POST', '/deliveries/{id}/verify', {
    summary: 'Verify a signature',
    description:
      'Verifies the signature of an attempt as a receiver does. If the signature is invalid, the result contains the reason.',
    input: v.strictObject({
      ...deliveryId,
      ...attempt,
      secrets: described(
        'Secrets to verify with (default: those of the endpoint).',
        v.optional(v.array(v.string())),
      ),
      payload_base64: described(
        'Body to verify, in base64 (default: the body that was sent).',
        v.optional(v.pipe(v.string(), v.base64('must be base64'))),
      ),
      now: described('Time of the verification (default: the time of the attempt).', v.optional(Timestamp)),
      tolerance_ms: described(
        'Maximum difference between the timestamp and `now` (default: the tolerance that the profile sets).',
        v.optional(durationFrom(0)),
      ),
      computed: described(
        'Digest that the receiver computed. If set, the result names the mistake that produces this digest, and `now` and the tolerance are ignored.',
        v.optional(
          v.pipe(
            v.string(),
            v.trim(),
            v.minLength(1, 'must not be empty'),
            v.maxLength(65_536, 'must be at most 65536 characters long'),
          ),
        ),
      ),
    }),
    output: Verification,
  }),
  replayDelivery: defineOperation('POST', '/deliveries/{id}/replay', {
    summary: 'Replay a delivery',
    description:
      'Sends a delivery again, as a new attempt. If you set `new_id`, `url` or `body`, a new delivery is sent instead. Responds before the attempt is sent.',
    input: v.strictObject({
      ...deliveryId,
      new_id: described('Whether to send a new delivery with its own ID.', v.optional(v.boolean()), true),
      url: described('URL to send a new delivery to. The scheme can be omitted.', v.optional(v.string())),
      body: described('Body of the new delivery, as JSON text.', v.optional(v.string())),
    }),
    output: Delivery,
    status: 202,
  }),

  // Faults.
  addFault: defineOperation('POST', '/faults', {
    summary: 'Add a fault',
    description:
      'Injects a fault into requests to `/v1` or into deliveries. If several faults match, only the oldest one is applied.',
    input: NewFaultInput,
    output: Fault,
    status: 201,
  }),
  listFaults: defineOperation('GET', '/faults', {
    summary: 'List faults',
    description: 'Returns faults, newest first, with the number of times that each fault has been applied.',
    input: v.strictObject({ ...PageFields, ...WorkspaceFilter }),
    output: pageOf(Fault),
  }),
  clearFaults: defineOperation('POST', '/faults/clear', {
    summary: 'Remove faults',
    description: 'Removes one fault, the faults of one workspace, or all faults.',
    input: v.strictObject({
      ...WorkspaceFilter,
      id: described('Only this fault (default: all).', v.optional(idOf('fault'))),
    }),
    output: resource('The faults were removed.', {
      cleared: described('Number of faults that were removed.', v.number()),
    }),
  }),

  // Request log.
  listRequests: defineOperation('GET', '/requests', {
    summary: 'List requests',
    description: 'Returns the logged requests to `/v1`, newest first.',
    input: v.strictObject({ ...PageFields, ...RequestFilter }),
    output: pageOf(ApiRequest),
  }),
  getRequest: defineOperation('GET', '/requests/{id}', {
    summary: 'Get a request',
    description: 'Returns a logged request with the headers and bodies of the request and its response.',
    input: v.strictObject(idField('request')),
    output: ApiRequestDetail,
  }),

  // Built-in fixtures and those of the project.
  listFixtures: defineOperation('GET', '/fixtures', {
    summary: 'List fixtures',
    description: 'Returns the built-in fixtures and the fixtures of the project.',
    input: noInput,
    output: resource('The fixtures.', {
      data: described('Fixtures, sorted by event type.', v.array(FixtureSummary)),
    }),
  }),
  getFixture: defineOperation('GET', '/fixtures/{type}', {
    summary: 'Create a payload from a fixture',
    description:
      'Returns the payload of a fixture. If the payload contains templates, each call replaces them with new values.',
    input: v.strictObject({ type: described('Event type of the fixture.', v.string(), 'order.shipped') }),
    output: FilledFixture,
  }),
};

/** Operations that are not in the table, because their responses are not JSON: a file, and a stream without an end. */
export const streamedOperations = {
  exportDeliveries: defineOperation('GET', '/deliveries/export', {
    summary: 'Export deliveries',
    description:
      'Downloads deliveries with all their attempts, oldest first. Select one delivery with `delivery_id`, or several with a filter.\n\nThe file is NDJSON: one delivery per line, as `GET /deliveries/{id}` returns it, with its body.\n\nAPI keys, endpoint secrets, cookies, passwords and tokens are replaced by `[removed]`. Signatures are included.',
    input: ExportInput,
    output: ExportedDelivery,
  }),
  followChanges: defineOperation('GET', '/stream', {
    summary: 'Follow changes',
    description:
      'Streams deliveries, attempts and requests as server-sent events.\n\n- The first event is `ready`. Its `data` is a JSON object with the ID of the database in `store`, and the latest sequence number in `sequence`. Without `since`, `since_sequence` and `Last-Event-ID`, its `id` is this number too.\n- If `store` differs after you reconnect, discard the state that your client has stored.\n- The `data` of every other event is a JSON object with `type` and `sequence`, and its `id` is the sequence number.\n- To resume after a lost connection, send the ID of the last event in `Last-Event-ID`.\n- If there is no event for 15 seconds, the emulator sends a comment, which keeps the connection open.',
    input: StreamInput,
    output: StreamItem,
  }),
};

export type ControlOperations = typeof controlOperations;
export type ControlInput<Name extends keyof ControlOperations> = OperationInput<ControlOperations[Name]>;
export type ControlOutput<Name extends keyof ControlOperations> = OperationOutput<ControlOperations[Name]>;
