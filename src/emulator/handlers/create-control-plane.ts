/** The control plane of the emulator in this process. */
import { SvcError } from '../../domain/errors.ts';
import { formatIdForMessage } from '../../domain/ids.ts';
import { parseJsonObject } from '../../domain/json-text.ts';
import { eventFixtureKind, findFixture } from '../../fixtures/event-fixtures.ts';
import { listFixtureFiles } from '../../fixtures/fixture-index.ts';
import { readFixture } from '../../fixtures/read-fixture.ts';
import { fillTemplates } from '../../fixtures/template.ts';
import { createTemplateContexts } from '../../fixtures/template-contexts.ts';
import { controlOperations } from '../../operations/control-operations.ts';
import type { ControlHandlers, ControlMethods, ControlPlane } from '../../operations/control-plane.ts';
import type { EmulatorStatus } from '../../operations/emulator-schemas.ts';
import { validateInput } from '../../operations/operation.ts';
import type { Event } from '../../resources/event.ts';
import { toApiKey } from '../../store/api-keys.ts';
import { toEventRecordText, toEventSummary } from '../../store/events.ts';
import { toFault } from '../../store/faults.ts';
import { toListBody, toPageRequest } from '../../store/row-page.ts';
import { toWorkspace } from '../../store/workspaces.ts';
import type { ClockController } from '../deliveries/clock-controller.ts';
import type { Sender } from '../deliveries/sender.ts';
import { createApiKey, createNotFoundError, requireRow } from '../service/access.ts';
import type { ListenerEndpointCleanup } from '../service/listener-endpoint-cleanup.ts';
import type { Sandbox } from '../service/sandbox.ts';
import type { StateLifecycle } from '../service/state-lifecycle.ts';
import { createClockHandlers } from './clock-handlers.ts';
import { createDeliveryHandlers } from './delivery-handlers.ts';
import { exportDeliveries } from './export-deliveries.ts';
import { createLiveStream } from './live-stream.ts';
import { createOverviewHandlers } from './overview-handlers.ts';
import { createRequestHandlers } from './request-handlers.ts';
import { findWorkspace, toCondition, toExcerpt } from './to-condition.ts';
import { createWaitHandlers } from './wait-handlers.ts';
import { createWebhookHandlers } from './webhook-handlers.ts';

interface ControlledEmulator {
  status(): EmulatorStatus;
  /** Begins the shutdown and returns immediately. */
  stop(): void;
}

interface ControlPlaneDependencies {
  readonly sandbox: Sandbox;
  readonly stateLifecycle: StateLifecycle;
  readonly clock: ClockController;
  readonly sender: Sender;
  /** Keeps the endpoints of a `svc listen` while its stream is open. */
  readonly listenerCleanup: ListenerEndpointCleanup;
  /** Folders with fixtures. Later folders override earlier ones. */
  readonly fixtureFolders: readonly string[];
  /** Aborted when the emulator stops. The streams do not end then, so that a log contains the last requests. */
  readonly closing: AbortSignal;
}

export function createControlPlane(
  {
    sandbox,
    stateLifecycle,
    clock,
    sender,
    fixtureFolders,
    listenerCleanup,
    closing,
  }: ControlPlaneDependencies,
  emulator: ControlledEmulator,
): ControlPlane {
  const handlers: ControlHandlers = {
    ...createEmulatorHandlers(emulator, stateLifecycle, sandbox),
    ...createWorkspaceHandlers(sandbox),
    ...createKeyHandlers(sandbox),
    ...createWebhookHandlers(sandbox, listenerCleanup, sender),
    ...createEventHandlers(sandbox),
    ...createDeliveryHandlers(sandbox, sender, emulator),
    ...createWaitHandlers(sandbox, { clock, fixtureFolders, closing }),
    ...createOverviewHandlers(sandbox),
    ...createClockHandlers(sandbox, clock),
    ...createRequestHandlers(sandbox),
    ...createFaultHandlers(sandbox),
    ...createFixtureHandlers(sandbox, fixtureFolders),
  };
  return {
    ...toMethods(sandbox, handlers),
    exportDeliveries: (input, signal) => exportDeliveries(sandbox, input, signal),
    stream(input, signal) {
      const items = createLiveStream(sandbox, listenerCleanup, input, signal);
      return { ready: Promise.resolve(), [Symbol.asyncIterator]: () => items[Symbol.asyncIterator]() };
    },
  };
}

/** Validates the input of each handler, and commits waiting writes first: the request log and the counts of faults are written later. */
function toMethods({ store }: Sandbox, handlers: ControlHandlers): ControlMethods {
  const methods = Object.entries(handlers).map(([name, handler]) => [
    name,
    async (input: Record<string, unknown>, signal?: AbortSignal) => {
      const validated = validateInput(controlOperations[name as keyof ControlHandlers], input);
      store.flush();
      // `never`: TypeScript cannot see that the schema and the handler of a name belong together.
      return handler(validated as never, signal);
    },
  ]);
  return Object.fromEntries(methods) as ControlMethods;
}

function createEmulatorHandlers(
  emulator: ControlledEmulator,
  stateLifecycle: StateLifecycle,
  { store }: Sandbox,
) {
  return {
    getStatus: async () => emulator.status(),
    reset: async ({ all }) => {
      if (all) stateLifecycle.resetAll();
      else stateLifecycle.reset();
      return { ...emulator.status(), kept_deliveries: store.deliveries.countAll() };
    },
    saveSnapshot: async ({ path }) => {
      const { size, savedAt } = stateLifecycle.saveSnapshot(path);
      return { path, size_bytes: size, saved_at: new Date(savedAt).toISOString() };
    },
    loadSnapshot: async ({ path }) => {
      stateLifecycle.loadSnapshot(path);
      return emulator.status();
    },
    stop: async () => {
      emulator.stop();
      return { stopping: true };
    },
    getDiagnosis: async () => {
      const { size, damage } = store.checkIntegrity();
      return { database: { size_bytes: size, damage: [...damage] } };
    },
  } satisfies Partial<ControlHandlers>;
}

function createWorkspaceHandlers(sandbox: Sandbox) {
  const { store, environment } = sandbox;
  return {
    listWorkspaces: async (input) => {
      const pageRequest = toPageRequest(input, (id) => store.workspaces.find(id)?.seq);
      return toListBody(store.workspaces.list(pageRequest), (row) => toWorkspace(row, environment));
    },
    createWorkspace: (input) => store.write(() => toWorkspace(sandbox.workspaces.insert(input), environment)),
    getWorkspace: async ({ id }) =>
      toWorkspace(requireRow(store.workspaces.find(id), 'workspace', id), environment),
  } satisfies Partial<ControlHandlers>;
}

function createKeyHandlers(sandbox: Sandbox) {
  const { store, wall } = sandbox;
  return {
    listKeys: async (input) => {
      const workspace = findWorkspace(sandbox, input.workspace_id);
      const pageRequest = toPageRequest(input, (id) => store.apiKeys.find(id)?.seq);
      return toListBody(store.apiKeys.list(workspace?.seq ?? null, pageRequest), toApiKey);
    },
    createKey: ({ workspace_id, ...key }) => {
      const workspace = findWorkspace(sandbox, workspace_id);
      return store.write(() => createApiKey(sandbox, { ...key, workspace }));
    },
    revokeKey: async ({ id }) => {
      const row = requireRow(store.apiKeys.find(id), 'apiKey', id);
      await store.write(() => store.apiKeys.revoke(row.seq, wall.now()));
      return toApiKey(store.apiKeys.find(id) ?? row);
    },
  } satisfies Partial<ControlHandlers>;
}

function createEventHandlers(sandbox: Sandbox) {
  const { store } = sandbox;
  return {
    listEvents: async (input) => {
      const pageRequest = toPageRequest(input, (id) => store.events.find(id)?.seq);
      const condition = toCondition(sandbox, input, 'schedule');
      return toListBody(store.events.listSummaries(condition, pageRequest), (row) => ({
        ...toEventSummary(row),
        ...toExcerpt(input.text, [row.id, row.type], () => store.events.find(row.id)?.payload ?? ''),
      }));
    },
    getEvent: async ({ id }) => {
      const row = requireRow(store.events.find(id), 'event', id);
      const { value, fieldText } = parseJsonObject(toEventRecordText(row));
      return {
        ...(value as Event),
        request_id: store.events.findRequestId(row.seq),
        payload_text: fieldText('payload') ?? '{}',
      };
    },
  } satisfies Partial<ControlHandlers>;
}

function createFaultHandlers(sandbox: Sandbox) {
  const { store, faults } = sandbox;
  return {
    addFault: async (rule) => {
      findWorkspace(sandbox, rule.workspace_id);
      const { webhook_id: webhookId, api_key_id: keyId } = rule;
      if (webhookId && !store.webhooks.findSeq(webhookId)) throw createNotFoundError('webhook', webhookId);
      if (keyId && !store.apiKeys.find(keyId)) throw createNotFoundError('apiKey', keyId);
      return faults.add(rule);
    },
    listFaults: async (input) => {
      const workspace = findWorkspace(sandbox, input.workspace_id);
      const pageRequest = toPageRequest(input, (id) => store.faults.find(id)?.seq);
      return toListBody(store.faults.list(workspace?.id ?? null, pageRequest), toFault);
    },
    clearFaults: async ({ id, workspace_id: workspaceId }) => {
      const workspace = findWorkspace(sandbox, workspaceId);
      if (id && !store.faults.find(id)) throw createNotFoundError('fault', id);
      return { cleared: await faults.clear(id ?? null, workspace?.id ?? null) };
    },
  } satisfies Partial<ControlHandlers>;
}

function createFixtureHandlers({ generator, workspaces }: Sandbox, folders: readonly string[]) {
  const templateContexts = createTemplateContexts({
    env: process.env,
    random: generator.createRandomSource('fixtures'),
    now: () => workspaces.default.clock.now(),
  });
  return {
    listFixtures: async () => ({
      data: listFixtureFiles(folders)
        .filter(({ kind }) => kind === 'event')
        .map(({ name: type, source, file }) => {
          const result = readFixture(eventFixtureKind, file, folders);
          return 'content' in result
            ? { type, source, description: result.content.description, problem: null }
            : { type, source, description: null, problem: result.problems[0]?.message ?? null };
        }),
    }),
    getFixture: async ({ type }) => {
      const fixture = findFixture(type, folders);
      if (fixture === null) {
        throw new SvcError('not_found', `Fixture ${formatIdForMessage(type)} does not exist.`, {
          hint: { text: 'List the fixtures', command: 'svc fixtures list' },
        });
      }
      const { description, template } = fixture;
      return { type, description, payload_text: fillTemplates(template, templateContexts.next()) };
    },
  } satisfies Partial<ControlHandlers>;
}
