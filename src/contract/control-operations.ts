/**
 * The operations of the control plane at `/_svc`, which the commands, the dashboard and the library use.
 * `openapi-control-texts.ts` describes each operation and its input.
 */
import * as v from 'valibot';
import { MAX_OVERLAP_MS } from '../domain/credentials.ts';
import { DAY_MS, MINUTE_MS } from '../domain/duration.ts';
import { WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import {
  AttemptSummary,
  Delivery,
  DeliveryDetail,
  SignatureCheck,
  SignatureDetail,
  Verification,
} from './delivery-schemas.ts';
import { withDurationTexts } from './duration-text.ts';
import {
  ClockMove,
  ClockState,
  ControlIndex,
  Diagnosis,
  EmulatorStatus,
  ResetResult,
  SavedSnapshot,
} from './emulator-schemas.ts';
import { Explanation } from './explanation-schemas.ts';
import { Fault, NewFaultInput } from './fault-schemas.ts';
import { ExtraHeaders, idOf, Name, noInput, ScheduleTime, Secret, Speed, Timestamp } from './fields.ts';
import {
  AttemptFilter,
  DeliveryFilter,
  EventFilter,
  Limit,
  PageFields,
  RequestFilter,
  WorkspaceFilter,
} from './list-filters.ts';
import { defineOperation, type OperationInput, type OperationOutput, wholeNumberFrom } from './operation.ts';
import { DeliveryStatusCounts, Overview, overviewClocks, WebhookWithStatistics } from './overview-schemas.ts';
import {
  ApiKey,
  ApiRequest,
  ApiRequestDetail,
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
import { EventTrace, TraceInput } from './trace-schemas.ts';
import { WaitInput, WaitReport } from './wait-schemas.ts';

/** Absolute on POSIX or Windows (`C:\` or `\\server`), because the emulator can run in another folder than its client. */
const FilePath = v.pipe(v.string(), v.regex(/^(\/|[A-Za-z]:[\\/]|\\\\)/, 'must be an absolute path'));

/** A hundred years, which is longer than any retry schedule or overlap. */
export const MAX_ADVANCE_MS = 100 * 365 * DAY_MS;

const IdInput = v.strictObject({ id: v.string() });

/** Adds statistics to an endpoint, with this number of its newest attempts. */
const StatisticsInput = { recent_attempts: v.optional(wholeNumberFrom(1, 100)) };

/** Which attempt to verify, and what its receiver used. A missing value is that of the emulator. */
const VerificationInput = withDurationTexts(
  {
    id: v.string(),
    attempt: v.optional(wholeNumberFrom(1)),
    secrets: v.optional(v.array(v.string())),
    /** The body of the request as it was received. */
    payload_base64: v.optional(v.pipe(v.string(), v.base64('must be base64'))),
    now: v.optional(Timestamp),
    tolerance_ms: v.optional(wholeNumberFrom(0)),
    /** The digest that the receiver computed. */
    computed: v.optional(
      v.pipe(
        v.string(),
        v.trim(),
        v.minLength(1, 'must not be empty'),
        v.maxLength(512, 'must be at most 512 characters long'),
      ),
    ),
  },
  { tolerance: 'tolerance_ms' },
);

export const controlOperations = {
  // Emulator: index, status, reset, snapshots, stop.
  getIndex: defineOperation('GET', '/', { input: noInput, output: ControlIndex }),
  getStatus: defineOperation('GET', '/status', { input: noInput, output: EmulatorStatus }),
  getDiagnosis: defineOperation('GET', '/diagnosis', { input: noInput, output: Diagnosis }),
  reset: defineOperation('POST', '/reset', {
    input: v.strictObject({ all: v.optional(v.boolean(), false) }),
    output: ResetResult,
  }),
  saveSnapshot: defineOperation('POST', '/snapshot/save', {
    input: v.strictObject({ path: FilePath }),
    output: SavedSnapshot,
    errors: ['usage'],
  }),
  loadSnapshot: defineOperation('POST', '/snapshot/load', {
    input: v.strictObject({ path: FilePath }),
    output: EmulatorStatus,
    errors: ['usage', 'validation_failed'],
  }),
  stop: defineOperation('POST', '/stop', {
    input: noInput,
    output: v.object({ stopping: v.literal(true) }),
    status: 202,
  }),

  getOverview: defineOperation('GET', '/overview', {
    input: withDurationTexts(
      {
        ...WorkspaceFilter,
        clock: v.optional(v.picklist(overviewClocks), 'wall'),
        period_ms: v.optional(wholeNumberFrom(MINUTE_MS, 30 * DAY_MS)),
      },
      { period: 'period_ms' },
    ),
    output: Overview,
  }),

  // Schedule clock of a workspace.
  getClock: defineOperation('GET', '/clock', { input: v.strictObject(WorkspaceFilter), output: ClockState }),
  setClock: defineOperation('PATCH', '/clock', {
    input: v.strictObject({
      ...WorkspaceFilter,
      speed: v.optional(Speed),
      frozen: v.optional(v.boolean()),
    }),
    output: ClockState,
  }),
  advanceClock: defineOperation('POST', '/clock/advance', {
    input: v.pipe(
      withDurationTexts(
        {
          ...WorkspaceFilter,
          ms: v.optional(wholeNumberFrom(0, MAX_ADVANCE_MS)),
          to: v.optional(ScheduleTime),
        },
        { by: 'ms' },
      ),
      v.check(({ ms, to }) => (ms === undefined) !== (to === undefined), 'must have either by, ms or to'),
    ),
    output: ClockMove,
    errors: ['usage'],
  }),
  /** Moves the clock to the next scheduled attempt. */
  nextClock: defineOperation('POST', '/clock/next', {
    input: v.strictObject(WorkspaceFilter),
    output: ClockMove,
  }),
  /** Moves the clock until every delivery has settled. */
  settleClock: defineOperation('POST', '/clock/settle', {
    input: v.strictObject(WorkspaceFilter),
    output: ClockMove,
  }),

  // Workspaces and API keys.
  listWorkspaces: defineOperation('GET', '/workspaces', {
    input: v.strictObject(PageFields),
    output: pageOf(Workspace),
  }),
  createWorkspace: defineOperation('POST', '/workspaces', {
    input: v.strictObject({ name: Name }),
    output: Workspace,
    status: 201,
  }),
  getWorkspace: defineOperation('GET', '/workspaces/{id}', {
    input: IdInput,
    output: Workspace,
  }),
  listKeys: defineOperation('GET', '/keys', {
    input: v.strictObject({ ...PageFields, ...WorkspaceFilter }),
    output: pageOf(ApiKey),
  }),
  createKey: defineOperation('POST', '/keys', {
    input: v.strictObject({
      name: v.optional(Name),
      scopes: v.pipe(v.array(ScopeName), v.minLength(1)),
      workspace_id: v.optional(v.nullable(idOf('workspace'))),
    }),
    output: CreatedApiKey,
    status: 201,
  }),
  revokeKey: defineOperation('POST', '/keys/{id}/revoke', {
    input: IdInput,
    output: ApiKey,
  }),

  // Endpoints.
  listWebhooks: defineOperation('GET', '/webhooks', {
    input: v.strictObject({ ...PageFields, ...WorkspaceFilter, ...StatisticsInput }),
    output: pageOf(WebhookWithStatistics),
  }),
  createWebhook: defineOperation('POST', '/webhooks', {
    input: v.strictObject({
      ...WorkspaceFilter,
      url: v.string(),
      events: v.optional(v.array(v.string()), [WILDCARD_SUBSCRIPTION]),
      headers: v.optional(ExtraHeaders, {}),
      skip_verify: v.optional(v.boolean(), false),
      secret: v.optional(Secret),
      /** For `svc listen`: the emulator deletes the endpoint after its last live stream has ended. */
      listener: v.optional(v.boolean(), false),
      /**
       * Updates and enables an earlier endpoint with this URL and the same `listener`, instead of creating one. The endpoint
       * of a listener is reused only after its last stream has ended. With `listener`, an enabled permanent endpoint that would
       * get some of the same events at this URL is returned unchanged.
       */
      reuse: v.optional(v.boolean(), false),
    }),
    output: WebhookWithSecret,
    status: 201,
    errors: ['validation_failed'],
  }),
  getWebhook: defineOperation('GET', '/webhooks/{id}', {
    input: v.strictObject({ id: v.string(), ...StatisticsInput }),
    output: WebhookWithStatistics,
  }),
  updateWebhook: defineOperation('PATCH', '/webhooks/{id}', {
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
  }),
  deleteWebhook: defineOperation('DELETE', '/webhooks/{id}', {
    input: IdInput,
    output: v.object({ id: idOf('webhook'), deleted: v.literal(true), canceled_deliveries: v.number() }),
  }),
  rotateWebhookSecret: defineOperation('POST', '/webhooks/{id}/rotate-secret', {
    input: withDurationTexts(
      {
        id: v.string(),
        overlap_ms: v.optional(wholeNumberFrom(0, MAX_OVERLAP_MS)),
      },
      { overlap: 'overlap_ms' },
    ),
    output: WebhookWithSecret,
  }),
  revealSecret: defineOperation('POST', '/webhooks/{id}/reveal-secret', {
    input: IdInput,
    output: v.object({ secret: v.string(), previous_secret: v.nullable(v.string()) }),
  }),
  probeWebhook: defineOperation('POST', '/webhooks/{id}/probe', {
    input: v.strictObject({
      id: v.string(),
      send: v.optional(v.boolean(), true),
    }),
    output: WebhookProbe,
  }),

  // Events. Unlike requests to `GET /v1/events`, these are not logged or rate-limited. The path `/events` is the live stream.
  listEvents: defineOperation('GET', '/stored-events', {
    input: v.strictObject({ ...PageFields, ...EventFilter }),
    output: pageOf(EventSummary),
  }),
  getEvent: defineOperation('GET', '/stored-events/{id}', {
    input: IdInput,
    output: EventDetail,
  }),
  getEventTrace: defineOperation('GET', '/stored-events/{id}/trace', {
    input: TraceInput,
    output: EventTrace,
  }),

  // Deliveries and attempts.
  listDeliveries: defineOperation('GET', '/deliveries', {
    input: v.strictObject({ ...PageFields, ...DeliveryFilter }),
    output: pageOf(Delivery),
  }),
  countDeliveries: defineOperation('GET', '/deliveries/counts', {
    input: v.strictObject(WorkspaceFilter),
    output: DeliveryStatusCounts,
  }),
  listDue: defineOperation('GET', '/deliveries/due', {
    input: v.strictObject({ ...WorkspaceFilter, limit: Limit }),
    output: v.object({ data: v.array(Delivery) }),
  }),
  /** Responds when the deliveries have settled, or at the time limit. */
  waitForDeliveries: defineOperation('POST', '/deliveries/wait', {
    input: WaitInput,
    output: WaitReport,
    errors: ['conflict', 'rate_limited'],
  }),
  listAttempts: defineOperation('GET', '/attempts', {
    input: v.strictObject({ ...PageFields, ...AttemptFilter }),
    output: pageOf(AttemptSummary),
  }),
  getDelivery: defineOperation('GET', '/deliveries/{id}', {
    input: IdInput,
    output: DeliveryDetail,
  }),
  /** The ID is that of a delivery, an event, an endpoint or a request, or `latest`. */
  explainDelivery: defineOperation('GET', '/deliveries/{id}/explanation', {
    input: v.strictObject({ id: v.string(), attempt: v.optional(wholeNumberFrom(1)), ...WorkspaceFilter }),
    output: Explanation,
  }),
  /** As `explainDelivery`, and sends the delivery to its receiver with the signatures that known mistakes lead to. */
  probeDelivery: defineOperation('POST', '/deliveries/{id}/probe', {
    input: v.strictObject({ id: v.string(), ...WorkspaceFilter }),
    output: Explanation,
  }),
  describeSignature: defineOperation('GET', '/deliveries/{id}/signature', {
    input: v.strictObject({
      id: v.string(),
      attempt: v.optional(wholeNumberFrom(1)),
    }),
    output: SignatureDetail,
  }),
  checkSignature: defineOperation('POST', '/deliveries/{id}/check-signature', {
    input: VerificationInput,
    output: SignatureCheck,
  }),
  verifyDelivery: defineOperation('POST', '/deliveries/{id}/verify', {
    input: VerificationInput,
    output: Verification,
  }),
  replayDelivery: defineOperation('POST', '/deliveries/{id}/replay', {
    input: v.strictObject({
      id: v.string(),
      new_id: v.optional(v.boolean()),
      url: v.optional(v.string()),
      body: v.optional(v.string()),
    }),
    output: Delivery,
    status: 202,
    errors: ['validation_failed', 'conflict'],
  }),

  // Faults.
  addFault: defineOperation('POST', '/faults', {
    input: NewFaultInput,
    output: Fault,
    status: 201,
    errors: ['validation_failed'],
  }),
  listFaults: defineOperation('GET', '/faults', {
    input: v.strictObject({ ...PageFields, ...WorkspaceFilter }),
    output: pageOf(Fault),
  }),
  clearFaults: defineOperation('POST', '/faults/clear', {
    input: v.strictObject({ ...WorkspaceFilter, id: v.optional(idOf('fault')) }),
    output: v.object({ cleared: v.number() }),
  }),

  // Request log.
  listRequests: defineOperation('GET', '/requests', {
    input: withDurationTexts({ ...PageFields, ...RequestFilter }, { min_duration: 'min_duration_ms' }),
    output: pageOf(ApiRequest),
  }),
  getRequest: defineOperation('GET', '/requests/{id}', {
    input: IdInput,
    output: ApiRequestDetail,
  }),
  /** Sends a logged request to `/v1` again, as its API key. */
  resendRequest: defineOperation('POST', '/requests/{id}/resend', {
    input: v.strictObject({
      id: v.string(),
      keep_idempotency_key: v.optional(v.boolean(), false),
    }),
    output: ApiRequestDetail,
    status: 201,
    errors: ['conflict'],
  }),

  // Built-in fixtures and those of the project.
  listFixtures: defineOperation('GET', '/fixtures', {
    input: noInput,
    output: v.object({ data: v.array(FixtureSummary) }),
  }),
  getFixture: defineOperation('GET', '/fixtures/{type}', {
    input: v.strictObject({ type: v.string() }),
    output: FilledFixture,
    errors: ['usage'],
  }),
};

export type ControlOperations = typeof controlOperations;
export type ControlInput<Name extends keyof ControlOperations> = OperationInput<ControlOperations[Name]>;
export type ControlOutput<Name extends keyof ControlOperations> = OperationOutput<ControlOperations[Name]>;
