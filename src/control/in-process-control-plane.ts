/** The control plane of the emulator in this process. */
import * as v from 'valibot';
import {
  type ControlOperations,
  type ControlOutput,
  controlOperations,
} from '../contract/control-operations.ts';
import type { EmulatorStatus } from '../contract/emulator-schemas.ts';
import { isInputInQuery, type ValidatedInput } from '../contract/operation.ts';
import { createSubscriptionsSchema, createWebhookUrlSchema } from '../contract/public-operations.ts';
import { validate } from '../contract/validate.ts';
import type { ClockController } from '../delivery/clock-controller.ts';
import type { Sender } from '../delivery/sender.ts';
import { DAY_MS } from '../domain/duration.ts';
import { notFound } from '../sandbox/access.ts';
import { createApiKey } from '../sandbox/api-keys.ts';
import type { ListenerEndpoints } from '../sandbox/listener-endpoints.ts';
import { toListBody, toPageRequest } from '../sandbox/pagination.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { StateLifecycle } from '../sandbox/state-lifecycle.ts';
import {
  getWebhookRow,
  isPermanent,
  registerWebhook,
  removeWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from '../sandbox/webhooks.ts';
import { createWorkspace } from '../sandbox/workspaces.ts';
import { toApiKey } from '../store/api-keys.ts';
import { toApiRequest } from '../store/api-requests.ts';
import { toWebhookDetail, type WebhookRow } from '../store/webhooks.ts';
import { toWorkspace } from '../store/workspaces.ts';
import { createClockHandlers } from './clock-handlers.ts';
import type { ControlMethods, ControlPlane } from './control-plane.ts';
import { createDeliveryHandlers } from './delivery-handlers.ts';
import { createDiagnosisHandlers } from './diagnosis-handlers.ts';
import { createEventHandlers } from './event-handlers.ts';
import { createFaultHandlers } from './fault-handlers.ts';
import { createFixtureHandlers } from './fixture-handlers.ts';
import { createLiveStream } from './live-stream.ts';
import { findWorkspace, toRequestFilter } from './store-filters.ts';
import { StreamFeed } from './stream-feed.ts';

/** How long a rotated secret signs beside the new one, in schedule time, unless told otherwise. */
const DEFAULT_OVERLAP_MS = DAY_MS;

/** What the control plane needs of the process around it. */
export interface EmulatorProcess {
  status(): EmulatorStatus;
  /** Begins to stop; returns at once. */
  stop(): void;
}

/** The parts of the emulator that it commands. */
export interface ControlPlaneDependencies {
  readonly sandbox: Sandbox;
  readonly stateLifecycle: StateLifecycle;
  readonly clock: ClockController;
  readonly sender: Sender;
  readonly listenerEndpoints: ListenerEndpoints;
  /** Where fixtures are found, later folders overriding earlier ones. */
  readonly fixtureFolders: readonly string[];
}

export function createInProcessControlPlane(
  { sandbox, stateLifecycle, clock, sender, listenerEndpoints, fixtureFolders }: ControlPlaneDependencies,
  host: EmulatorProcess,
): ControlPlane {
  const calls: ControlHandlers = {
    ...createEmulatorHandlers(host, stateLifecycle),
    ...createWorkspaceHandlers(sandbox),
    ...createKeyHandlers(sandbox),
    ...createWebhookHandlers(sandbox, listenerEndpoints),
    ...createEventHandlers(sandbox),
    ...createDeliveryHandlers(sandbox),
    ...createClockHandlers(sandbox, clock),
    ...createRequestHandlers(sandbox),
    ...createFaultHandlers(sandbox),
    ...createFixtureHandlers(sandbox, fixtureFolders),
    ...createDiagnosisHandlers(sandbox, sender),
  };
  const feed = new StreamFeed(sandbox);
  return {
    ...withValidation(calls),
    stream(input, signal) {
      const items = createLiveStream(sandbox, listenerEndpoints, feed, input, signal);
      return { ready: Promise.resolve(), [Symbol.asyncIterator]: () => items[Symbol.asyncIterator]() };
    },
  };
}

export type ControlHandlers = {
  readonly [Name in keyof ControlOperations]: (
    input: ValidatedInput<ControlOperations[Name]>,
    signal?: AbortSignal,
  ) => Promise<ControlOutput<Name>>;
};

/** Every call checks its input by the table, whichever door it came through, and fills in the defaults. */
function withValidation(calls: ControlHandlers): ControlMethods {
  const checked = Object.entries(calls).map(([name, call]) => {
    const { input: schema, method } = controlOperations[name as keyof ControlMethods];
    const code = isInputInQuery(method) ? 'invalid_request' : 'validation_failed';
    return [
      name,
      async (input: never, signal?: AbortSignal) =>
        (call as (input: unknown, signal?: AbortSignal) => unknown)(validate(schema, input, code), signal),
    ];
  });
  return Object.fromEntries(checked) as ControlMethods;
}

function createEmulatorHandlers(
  host: EmulatorProcess,
  stateLifecycle: StateLifecycle,
): Pick<
  ControlHandlers,
  'getStatus' | 'reset' | 'saveSnapshot' | 'loadSnapshot' | 'restoreDatabase' | 'stop'
> {
  return {
    getStatus: async () => host.status(),
    reset: async () => {
      stateLifecycle.reset();
      return host.status();
    },
    saveSnapshot: async ({ path }) => {
      const { sizeBytes, savedAt } = await stateLifecycle.saveSnapshot(path);
      return { path, size_bytes: sizeBytes, saved_at: new Date(savedAt).toISOString() };
    },
    loadSnapshot: async ({ path }) => {
      await stateLifecycle.loadSnapshot(path);
      return host.status();
    },
    restoreDatabase: async () => {
      await stateLifecycle.restoreDatabase();
      return host.status();
    },
    stop: async () => {
      host.stop();
      return { stopping: true };
    },
  };
}

function createWorkspaceHandlers(
  sandbox: Sandbox,
): Pick<ControlHandlers, 'listWorkspaces' | 'createWorkspace' | 'getWorkspace'> {
  const { store, environment } = sandbox;
  return {
    listWorkspaces: async (input) => {
      const request = toPageRequest(input, (id) => store.workspaces.find(id));
      return toListBody(store.workspaces.list(request), (row) => toWorkspace(row, environment));
    },
    createWorkspace: (input) => store.write(() => createWorkspace(sandbox, input)),
    getWorkspace: async ({ id }) => {
      const row = store.workspaces.find(id);
      if (row === undefined) throw notFound('workspace', id);
      return toWorkspace(row, environment);
    },
  };
}

function createKeyHandlers(sandbox: Sandbox): Pick<ControlHandlers, 'listKeys' | 'createKey' | 'revokeKey'> {
  const { store, wall } = sandbox;
  return {
    listKeys: async (input) => {
      const workspace = findWorkspace(sandbox, input.workspace_id);
      const request = toPageRequest(input, (id) => store.apiKeys.find(id));
      return toListBody(store.apiKeys.list(workspace?.seq ?? null, request), toApiKey);
    },
    createKey: ({ scopes, workspace_id }) => {
      const workspace = findWorkspace(sandbox, workspace_id);
      return store.write(() => createApiKey(sandbox, { scopes, workspace }));
    },
    revokeKey: async ({ id }) => {
      const row = store.apiKeys.find(id);
      if (row === undefined) throw notFound('key', id);
      await store.write(() => store.apiKeys.revoke(row.seq, wall.now()));
      return toApiKey(store.apiKeys.find(id) ?? row);
    },
  };
}

function createWebhookHandlers(
  sandbox: Sandbox,
  listenerEndpoints: ListenerEndpoints,
): Pick<
  ControlHandlers,
  | 'listWebhooks'
  | 'createWebhook'
  | 'getWebhook'
  | 'updateWebhook'
  | 'deleteWebhook'
  | 'rotateWebhookSecret'
  | 'revealSecret'
> {
  const { store, bus, rules } = sandbox;
  // The rules of the API for addresses and subscriptions.
  const url = createWebhookUrlSchema(rules);
  const events = createSubscriptionsSchema(sandbox);
  const Endpoint = v.object({ url, events });
  const Change = v.object({ url: v.optional(url), events: v.optional(events) });
  return {
    listWebhooks: async (input) => {
      const workspace = findWorkspace(sandbox, input.workspace_id);
      const request = toPageRequest(input, (id) => store.webhooks.findSeq(id));
      return toListBody(store.webhooks.list(workspace?.seq ?? null, request), toWebhookDetail);
    },
    createWebhook: async ({ workspace_id, skip_verify: skipVerify, reuse, ...input }) => {
      const workspace = findWorkspace(sandbox, workspace_id) ?? sandbox.workspaces.default;
      validate(Endpoint, { url: input.url, events: input.events }, 'validation_failed');
      const mayGoOn = (former: WebhookRow) =>
        reuse && (input.listener ? listenerEndpoints.isAbandoned(former) : isPermanent(former));
      const row = await store.write(() =>
        registerWebhook(sandbox, { ...input, workspace, skipVerify }, mayGoOn),
      );
      if (row.listener === 1) listenerEndpoints.startGracePeriod(row.id);
      bus.publish({ type: 'webhook_changed', webhookSeq: row.seq });
      return { ...toWebhookDetail(row), secret: row.secret };
    },
    getWebhook: async ({ id }) => toWebhookDetail(getWebhookRow(sandbox, id)),
    updateWebhook: async ({ id, skip_verify: skipVerify, ...change }) => {
      validate(Change, { url: change.url, events: change.events }, 'validation_failed');
      const { seq } = getWebhookRow(sandbox, id);
      const webhook = await store.write(() => updateWebhook(sandbox, id, { ...change, skipVerify }));
      bus.publish({ type: 'webhook_changed', webhookSeq: seq });
      return webhook;
    },
    deleteWebhook: async ({ id }) => {
      const canceled = await removeWebhook(sandbox, id);
      return { id, deleted: true, canceled_deliveries: canceled };
    },
    rotateWebhookSecret: ({ id, overlap_ms }) =>
      store.write(() => rotateWebhookSecret(sandbox, id, overlap_ms ?? DEFAULT_OVERLAP_MS)),
    revealSecret: async ({ id }) => {
      const { secret, previous_secret } = getWebhookRow(sandbox, id);
      return { secret, previous_secret };
    },
  };
}

function createRequestHandlers(sandbox: Sandbox): Pick<ControlHandlers, 'listRequests'> {
  const { store } = sandbox;
  return {
    listRequests: async (input) => {
      // The log is written soon, not at once: whoever asks for it sees all that has happened.
      store.flush();
      const request = toPageRequest(input, (id) => store.apiRequests.find(id));
      return toListBody(await store.apiRequests.list(toRequestFilter(sandbox, input), request), toApiRequest);
    },
  };
}
