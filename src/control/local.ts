/** The control plane of the emulator in this process. */
import * as v from 'valibot';
import { type ControlOperations, type ControlOutput, controlOperations } from '../contract/control-api.ts';
import type { EmulatorStatus } from '../contract/emulator.ts';
import { type CheckedInput, inputInQuery } from '../contract/operation.ts';
import { subscriptions, webhookUrl } from '../contract/public-api.ts';
import { validate } from '../contract/validate.ts';
import type { ClockDriver } from '../delivery/clock-driver.ts';
import type { Sender } from '../delivery/sender.ts';
import { DAY_MS } from '../domain/duration.ts';
import { notFound } from '../sandbox/access.ts';
import { createKey } from '../sandbox/keys.ts';
import type { Listeners } from '../sandbox/listeners.ts';
import { toListBody, toPageRequest } from '../sandbox/pages.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Session } from '../sandbox/session.ts';
import {
  getWebhookRow,
  isLasting,
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
import { createCheckCalls } from './check-calls.ts';
import { createClockCalls } from './clock-calls.ts';
import type { ControlCalls, ControlPlane } from './control-plane.ts';
import { createDeliveryCalls } from './delivery-calls.ts';
import { createEventCalls } from './event-calls.ts';
import { createFaultCalls } from './fault-calls.ts';
import { findWorkspace, toRequestFilter } from './filters.ts';
import { createFixtureCalls } from './fixture-calls.ts';
import { streamOf } from './stream.ts';
import { StreamFeed } from './stream-feed.ts';

/** How long a rotated secret signs beside the new one, in schedule time, unless told otherwise. */
const DEFAULT_OVERLAP_MS = DAY_MS;

/** What the control plane needs of the process around it. */
export interface Host {
  status(): EmulatorStatus;
  /** Begins to stop; returns at once. */
  stop(): void;
}

/** The parts of the emulator that it commands. */
export interface Parts {
  readonly sandbox: Sandbox;
  readonly session: Session;
  readonly clock: ClockDriver;
  readonly sender: Sender;
  readonly listeners: Listeners;
  /** Where fixtures are found, later folders overriding earlier ones. */
  readonly fixtureFolders: readonly string[];
}

export function createLocalControlPlane(
  { sandbox, session, clock, sender, listeners, fixtureFolders }: Parts,
  host: Host,
): ControlPlane {
  const calls: CheckedCalls = {
    ...createHostCalls(host, session),
    ...createWorkspaceCalls(sandbox),
    ...createKeyCalls(sandbox),
    ...createWebhookCalls(sandbox, listeners),
    ...createEventCalls(sandbox),
    ...createDeliveryCalls(sandbox),
    ...createClockCalls(sandbox, clock),
    ...createRequestCalls(sandbox),
    ...createFaultCalls(sandbox),
    ...createFixtureCalls(sandbox, fixtureFolders),
    ...createCheckCalls(sandbox, sender),
  };
  const feed = new StreamFeed(sandbox);
  return {
    ...withValidation(calls),
    stream(input, signal) {
      const items = streamOf(sandbox, listeners, feed, input, signal);
      return { ready: Promise.resolve(), [Symbol.asyncIterator]: () => items[Symbol.asyncIterator]() };
    },
  };
}

export type CheckedCalls = {
  readonly [Name in keyof ControlOperations]: (
    input: CheckedInput<ControlOperations[Name]>,
    signal?: AbortSignal,
  ) => Promise<ControlOutput<Name>>;
};

/** Every call checks its input by the table, whichever door it came through, and fills in the defaults. */
function withValidation(calls: CheckedCalls): ControlCalls {
  const checked = Object.entries(calls).map(([name, call]) => {
    const { input: schema, method } = controlOperations[name as keyof ControlCalls];
    const code = inputInQuery(method) ? 'invalid_request' : 'validation_failed';
    return [
      name,
      async (input: never, signal?: AbortSignal) =>
        (call as (input: unknown, signal?: AbortSignal) => unknown)(validate(schema, input, code), signal),
    ];
  });
  return Object.fromEntries(checked) as ControlCalls;
}

function createHostCalls(
  host: Host,
  session: Session,
): Pick<CheckedCalls, 'getStatus' | 'reset' | 'saveSnapshot' | 'loadSnapshot' | 'restoreDatabase' | 'stop'> {
  return {
    getStatus: async () => host.status(),
    reset: async () => {
      session.reset();
      return host.status();
    },
    saveSnapshot: async ({ path }) => {
      const { sizeBytes, savedAt } = await session.save(path);
      return { path, size_bytes: sizeBytes, saved_at: new Date(savedAt).toISOString() };
    },
    loadSnapshot: async ({ path }) => {
      await session.load(path);
      return host.status();
    },
    restoreDatabase: async () => {
      await session.restoreFile();
      return host.status();
    },
    stop: async () => {
      host.stop();
      return { stopping: true };
    },
  };
}

function createWorkspaceCalls(
  sandbox: Sandbox,
): Pick<CheckedCalls, 'listWorkspaces' | 'createWorkspace' | 'getWorkspace'> {
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

function createKeyCalls(sandbox: Sandbox): Pick<CheckedCalls, 'listKeys' | 'createKey' | 'revokeKey'> {
  const { store, wall } = sandbox;
  return {
    listKeys: async (input) => {
      const workspace = findWorkspace(sandbox, input.workspace_id);
      const request = toPageRequest(input, (id) => store.apiKeys.find(id));
      return toListBody(store.apiKeys.list(workspace?.seq ?? null, request), toApiKey);
    },
    createKey: ({ scopes, workspace_id }) => {
      const workspace = findWorkspace(sandbox, workspace_id);
      return store.write(() => createKey(sandbox, { scopes, workspace }));
    },
    revokeKey: async ({ id }) => {
      const row = store.apiKeys.find(id);
      if (row === undefined) throw notFound('key', id);
      await store.write(() => store.apiKeys.revoke(row.seq, wall.now()));
      return toApiKey(store.apiKeys.find(id) ?? row);
    },
  };
}

function createWebhookCalls(
  sandbox: Sandbox,
  listeners: Listeners,
): Pick<
  CheckedCalls,
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
  const url = webhookUrl(rules);
  const events = subscriptions(sandbox);
  const Endpoint = v.object({ url, events });
  const Change = v.object({ url: v.optional(url), events: v.optional(events) });
  return {
    listWebhooks: async (input) => {
      const workspace = findWorkspace(sandbox, input.workspace_id);
      const request = toPageRequest(input, (id) => store.webhooks.findPlace(id));
      return toListBody(store.webhooks.list(workspace?.seq ?? null, request), toWebhookDetail);
    },
    createWebhook: async ({ workspace_id, skip_verify: skipVerify, reuse, ...input }) => {
      const workspace = findWorkspace(sandbox, workspace_id) ?? sandbox.workspaces.default;
      validate(Endpoint, { url: input.url, events: input.events }, 'validation_failed');
      const mayGoOn = (former: WebhookRow) =>
        reuse && (input.listener ? listeners.hasLeft(former) : isLasting(former));
      const row = await store.write(() =>
        registerWebhook(sandbox, { ...input, workspace, skipVerify }, mayGoOn),
      );
      if (row.listener === 1) listeners.expect(row.id);
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

function createRequestCalls(sandbox: Sandbox): Pick<CheckedCalls, 'listRequests'> {
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
