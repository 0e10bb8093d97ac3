/** The operations of the control plane at `/_svc`, which the commands, the dashboard and the library use. */
import * as v from 'valibot';
import { DAY_MS } from '../domain/duration.ts';
import { WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import {
  AttemptSummary,
  Delivery,
  DeliveryDetail,
  SignatureCheck,
  SignatureDetail,
  Verification,
} from './delivery-schemas.ts';
import { ClockMove, ClockState, Diagnosis, EmulatorStatus, SavedSnapshot } from './emulator-schemas.ts';
import { Fault, NewFaultInput } from './fault-schemas.ts';
import { ExtraHeaders, idOf, Name, noInput, Secret, Speed, Timestamp } from './fields.ts';
import {
  AttemptFilter,
  DeliveryFilter,
  EventFilter,
  Limit,
  PageFields,
  RequestFilter,
  WorkspaceFilter,
} from './list-filters.ts';
import { defineOperations, type OperationInput, type OperationOutput, wholeNumber } from './operation.ts';
import {
  ApiKey,
  ApiRequest,
  CreatedApiKey,
  EventDetail,
  EventSummary,
  FilledFixture,
  FixtureSummary,
  pageOf,
  ScopeName,
  WebhookDetail,
  WebhookProbe,
  WebhookWithSecret,
  Workspace,
} from './resources.ts';

/** Absolute, because the emulator can run in another folder than its client. */
const FilePath = v.pipe(v.string(), v.regex(/^(\/|[A-Za-z]:[\\/]|\\\\)/, 'must be an absolute path'));

/** A hundred years: longer than any retry schedule, and still a valid date. */
export const MAX_ADVANCE_MS = 100 * 365 * DAY_MS;

/** A year: longer than any change of a secret takes. */
const MAX_OVERLAP_MS = 365 * DAY_MS;

const IdInput = v.strictObject({ id: v.string() });

/** An attempt as a receiver received it. */
const ReceivedAttempt = {
  id: v.string(),
  attempt: v.optional(wholeNumber(1)),
  secrets: v.optional(v.array(v.string())),
  payload_base64: v.optional(v.pipe(v.string(), v.base64('must be base64'))),
  now: v.optional(Timestamp),
  tolerance_ms: v.optional(wholeNumber(0)),
  computed: v.optional(
    v.pipe(
      v.string(),
      v.trim(),
      v.minLength(1, 'must not be empty'),
      v.maxLength(512, 'must be at most 512 characters long'),
    ),
  ),
};

export const controlOperations = defineOperations({
  // Emulator: status, reset, snapshots, stop.
  getStatus: {
    method: 'GET',
    path: '/status',
    input: noInput,
    output: EmulatorStatus,
  },
  getDiagnosis: {
    method: 'GET',
    path: '/diagnosis',
    input: noInput,
    output: Diagnosis,
  },
  reset: {
    method: 'POST',
    path: '/reset',
    input: noInput,
    output: EmulatorStatus,
  },
  saveSnapshot: {
    method: 'POST',
    path: '/snapshot/save',
    input: v.strictObject({ path: FilePath }),
    output: SavedSnapshot,
    errors: ['usage'],
  },
  loadSnapshot: {
    method: 'POST',
    path: '/snapshot/load',
    input: v.strictObject({ path: FilePath }),
    output: EmulatorStatus,
    errors: ['usage', 'validation_failed'],
  },
  restoreDatabase: {
    method: 'POST',
    path: '/database/restore',
    input: noInput,
    output: EmulatorStatus,
    errors: ['conflict', 'storage_unavailable'],
  },
  stop: {
    method: 'POST',
    path: '/stop',
    input: noInput,
    output: v.object({ stopping: v.literal(true) }),
    status: 202,
  },

  // Schedule clock of a workspace.
  getClock: {
    method: 'GET',
    path: '/clock',
    input: v.strictObject(WorkspaceFilter),
    output: ClockState,
  },
  setClock: {
    method: 'PATCH',
    path: '/clock',
    input: v.strictObject({
      ...WorkspaceFilter,
      speed: v.optional(Speed),
      frozen: v.optional(v.boolean()),
    }),
    output: ClockState,
  },
  advanceClock: {
    method: 'POST',
    path: '/clock/advance',
    input: v.strictObject({ ...WorkspaceFilter, ms: wholeNumber(0, MAX_ADVANCE_MS) }),
    output: ClockMove,
  },
  nextClock: {
    method: 'POST',
    path: '/clock/next',
    input: v.strictObject(WorkspaceFilter),
    output: ClockMove,
  },
  settleClock: {
    method: 'POST',
    path: '/clock/settle',
    input: v.strictObject(WorkspaceFilter),
    output: ClockMove,
  },

  // Workspaces and API keys.
  listWorkspaces: {
    method: 'GET',
    path: '/workspaces',
    input: v.strictObject(PageFields),
    output: pageOf(Workspace),
  },
  createWorkspace: {
    method: 'POST',
    path: '/workspaces',
    input: v.strictObject({ name: Name }),
    output: Workspace,
    status: 201,
  },
  getWorkspace: {
    method: 'GET',
    path: '/workspaces/{id}',
    input: IdInput,
    output: Workspace,
  },
  listKeys: {
    method: 'GET',
    path: '/keys',
    input: v.strictObject({ ...PageFields, ...WorkspaceFilter }),
    output: pageOf(ApiKey),
  },
  createKey: {
    method: 'POST',
    path: '/keys',
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
    input: IdInput,
    output: ApiKey,
  },

  // Endpoints.
  listWebhooks: {
    method: 'GET',
    path: '/webhooks',
    input: v.strictObject({ ...PageFields, ...WorkspaceFilter }),
    output: pageOf(WebhookDetail),
  },
  createWebhook: {
    method: 'POST',
    path: '/webhooks',
    input: v.strictObject({
      ...WorkspaceFilter,
      url: v.string(),
      events: v.optional(v.array(v.string()), [WILDCARD_SUBSCRIPTION]),
      headers: v.optional(ExtraHeaders, {}),
      skip_verify: v.optional(v.boolean(), false),
      secret: v.optional(Secret),
      listener: v.optional(v.boolean(), false),
      /** A listener is reused only after its last stream has ended. */
      reuse: v.optional(v.boolean(), false),
    }),
    output: WebhookWithSecret,
    status: 201,
    errors: ['validation_failed'],
  },
  getWebhook: {
    method: 'GET',
    path: '/webhooks/{id}',
    input: IdInput,
    output: WebhookDetail,
  },
  updateWebhook: {
    method: 'PATCH',
    path: '/webhooks/{id}',
    input: v.strictObject({
      id: v.string(),
      url: v.optional(v.string()),
      events: v.optional(v.array(v.string())),
      disabled: v.optional(v.boolean()),
      headers: v.optional(ExtraHeaders),
      skip_verify: v.optional(v.boolean()),
    }),
    output: WebhookDetail,
    errors: ['validation_failed'],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/webhooks/{id}',
    input: IdInput,
    output: v.object({ id: idOf('webhook'), deleted: v.literal(true), canceled_deliveries: v.number() }),
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/webhooks/{id}/rotate-secret',
    input: v.strictObject({
      id: v.string(),
      overlap_ms: v.optional(wholeNumber(0, MAX_OVERLAP_MS)),
    }),
    output: WebhookWithSecret,
  },
  revealSecret: {
    method: 'POST',
    path: '/webhooks/{id}/reveal-secret',
    input: IdInput,
    output: v.object({ secret: v.string(), previous_secret: v.nullable(v.string()) }),
  },
  probeWebhook: {
    method: 'POST',
    path: '/webhooks/{id}/probe',
    input: v.strictObject({
      id: v.string(),
      send: v.optional(v.boolean(), true),
    }),
    output: WebhookProbe,
  },

  // Events. They are not in the request log, and the rate limit does not count them.
  listEvents: {
    method: 'GET',
    path: '/stored-events',
    input: v.strictObject({ ...PageFields, ...EventFilter }),
    output: pageOf(EventSummary),
  },
  getEvent: {
    method: 'GET',
    path: '/stored-events/{id}',
    input: IdInput,
    output: EventDetail,
  },

  // Deliveries and attempts.
  listDeliveries: {
    method: 'GET',
    path: '/deliveries',
    input: v.strictObject({ ...PageFields, ...DeliveryFilter }),
    output: pageOf(Delivery),
  },
  listDue: {
    method: 'GET',
    path: '/deliveries/due',
    input: v.strictObject({ ...WorkspaceFilter, limit: Limit }),
    output: v.object({ data: v.array(Delivery) }),
  },
  listAttempts: {
    method: 'GET',
    path: '/attempts',
    input: v.strictObject({ ...PageFields, ...AttemptFilter }),
    output: pageOf(AttemptSummary),
  },
  getDelivery: {
    method: 'GET',
    path: '/deliveries/{id}',
    input: IdInput,
    output: DeliveryDetail,
  },
  describeSignature: {
    method: 'GET',
    path: '/deliveries/{id}/signature',
    input: v.strictObject({
      id: v.string(),
      attempt: v.optional(wholeNumber(1)),
    }),
    output: SignatureDetail,
  },
  checkSignature: {
    method: 'POST',
    path: '/deliveries/{id}/check-signature',
    input: v.strictObject(ReceivedAttempt),
    output: SignatureCheck,
  },
  verifyDelivery: {
    method: 'POST',
    path: '/deliveries/{id}/verify',
    input: v.strictObject(ReceivedAttempt),
    output: Verification,
  },
  replayDelivery: {
    method: 'POST',
    path: '/deliveries/{id}/replay',
    input: v.strictObject({
      id: v.string(),
      new_id: v.optional(v.boolean()),
      url: v.optional(v.string()),
      body: v.optional(v.string()),
    }),
    output: Delivery,
    status: 202,
    errors: ['validation_failed', 'conflict'],
  },

  // Faults.
  addFault: {
    method: 'POST',
    path: '/faults',
    input: NewFaultInput,
    output: Fault,
    status: 201,
    errors: ['validation_failed'],
  },
  listFaults: {
    method: 'GET',
    path: '/faults',
    input: v.strictObject({ ...PageFields, ...WorkspaceFilter }),
    output: pageOf(Fault),
  },
  clearFaults: {
    method: 'POST',
    path: '/faults/clear',
    input: v.strictObject({ ...WorkspaceFilter, id: v.optional(idOf('fault')) }),
    output: v.object({ cleared: v.number() }),
  },

  // Request log.
  listRequests: {
    method: 'GET',
    path: '/requests',
    input: v.strictObject({ ...PageFields, ...RequestFilter }),
    output: pageOf(ApiRequest),
  },

  // Built-in fixtures and those of the project.
  listFixtures: {
    method: 'GET',
    path: '/fixtures',
    input: noInput,
    output: v.object({ data: v.array(FixtureSummary) }),
  },
  getFixture: {
    method: 'GET',
    path: '/fixtures/{type}',
    input: v.strictObject({ type: v.string() }),
    output: FilledFixture,
    errors: ['usage'],
  },
});

export type ControlOperations = typeof controlOperations;
export type ControlInput<Name extends keyof ControlOperations> = OperationInput<ControlOperations[Name]>;
export type ControlOutput<Name extends keyof ControlOperations> = OperationOutput<ControlOperations[Name]>;
