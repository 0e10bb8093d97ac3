/** Setup for tests of the dispatcher: a sandbox without a server, real time that stands still, and a scripted sender. */
import { onTestFinished } from 'vitest';
import { Dispatcher } from '../../../src/emulator/deliveries/dispatcher.ts';
import { replayDelivery } from '../../../src/emulator/deliveries/replay-delivery.ts';
import type { Sender, SendRequest, SendResult } from '../../../src/emulator/deliveries/sender.ts';
import { createEvent } from '../../../src/emulator/service/events.ts';
import { createSandbox } from '../../../src/emulator/service/sandbox.ts';
import { createWebhook, deleteWebhook, updateWebhook } from '../../../src/emulator/service/webhooks.ts';
import type { ReplayChanges } from '../../../src/operations/replay-deliveries.ts';
import { type Overrides, resolveRules } from '../../../src/profile/resolve-rules.ts';
import type { EndpointChange } from '../../../src/resources/endpoint.ts';
import type { DeliveryRow } from '../../../src/store/delivery-queries.ts';
import { Store } from '../../../src/store/store.ts';

export const NOW = Date.UTC(2026, 10, 20);

/** An attempt in flight. */
export interface SentAttempt extends SendRequest {
  readonly deliveryId: string;
  /** Ends the attempt (default: with status 200). */
  respond(result?: Partial<SendResult>): Promise<void>;
}

export const failedResult: Partial<SendResult> = {
  outcome: 'http_error',
  responseStatus: 500,
  error: 'responded with 500',
};

/** A sender whose attempts stay in flight until the test ends them. */
export function createScriptedSender() {
  const sent: SentAttempt[] = [];
  const inFlight = new Set<SentAttempt>();
  const waiters = new Set<() => void>();
  const accepted: SendResult = {
    ...{ outcome: 'succeeded', responseStatus: 200, error: null, durationMs: 1, phases: null },
    ...{ response: { headers: {}, body: Buffer.alloc(0), truncated: false }, retryAfterMs: null },
  };
  const sender: Sender = {
    connect: () => Promise.reject(new Error('no test connects')),
    send: (request) =>
      new Promise<SendResult>((resolve) => {
        const attempt: SentAttempt = {
          ...request,
          deliveryId: request.headers['Service-Delivery-Id'] ?? '',
          respond: (result) => {
            inFlight.delete(attempt);
            resolve({ ...accepted, ...result });
            return runEventLoop();
          },
        };
        sent.push(attempt);
        inFlight.add(attempt);
        for (const waiter of waiters) waiter();
      }),
    close: () => {},
  };
  return {
    sender,
    /** All attempts so far. */
    sent,
    inFlight,
    /** Resolves to the attempt with this number, from 1, as soon as it is in flight. */
    attempt: (number: number) =>
      new Promise<SentAttempt>((resolve) => {
        const check = () => {
          const request = sent[number - 1];
          if (request === undefined) return;
          waiters.delete(check);
          resolve(request);
        };
        waiters.add(check);
        check();
      }),
  };
}

/** Runs pending promises and the turn of the dispatcher that they request. No write is committed meanwhile. */
export async function runTurn(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
  await runEventLoop(1);
}

/** Runs the event loop a few times, so that groups of writes and their consequences complete. */
export async function runEventLoop(count = 8): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

export interface SandboxSetupOptions {
  readonly overrides?: Overrides;
  readonly store?: Store;
  readonly frozen?: boolean;
  /** Whether the results of attempts wait for other writes, as they do outside of tests. */
  readonly delaysResults?: boolean;
  /** Real time (default: moves only with `pass`). */
  readonly monotonic?: () => number;
}

/** Creates a sandbox with a workspace. */
export function createTestSandbox(options: SandboxSetupOptions = {}) {
  const { store = new Store({ path: ':memory:' }), frozen = true, delaysResults = false } = options;
  if (!delaysResults) {
    const { writeLater } = Store.prototype;
    store.writeLater = (operation) => {
      store.commitSoon();
      return writeLater.call(store, operation) as never;
    };
  }
  let elapsed = 0;
  const { monotonic = () => elapsed } = options;
  const wall = { now: () => NOW + monotonic(), monotonic };
  const sandbox = createSandbox({
    ...{ environment: 'sandbox', store, wall, randomSeed: 1, hasConstantTimestamp: false },
    rules: resolveRules('relaxed', options.overrides),
    seedsKeys: true,
    newClockSettings: { speed: 1, frozen },
    eventTypes: new Set(),
  });
  if (store.workspaces.findOldest() === undefined)
    store.writeNow(() => sandbox.workspaces.insert({ name: 'Test' }));
  return {
    ...{ sandbox, store, workspace: sandbox.workspaces.default },
    /** Moves real time forward. */
    pass(ms: number) {
      elapsed += ms;
    },
  };
}

export interface DispatcherSetupOptions extends SandboxSetupOptions {
  readonly sender?: Sender;
}

/** Starts a dispatcher in the sandbox of {@link createTestSandbox}. */
export function startDispatcher(options: DispatcherSetupOptions = {}) {
  const { sandbox, store, workspace, pass } = createTestSandbox(options);
  const scripted = createScriptedSender();
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => faults.push(fault);
  const dispatcher = new Dispatcher({
    sandbox,
    sender: options.sender ?? scripted.sender,
    onInternalError: onFault,
  });
  dispatcher.start();
  onTestFinished(async () => {
    await dispatcher.stop(0);
    store.close();
  });

  const get = (id: string): DeliveryRow => {
    const row = store.deliveryQueries.find(id);
    if (row === undefined) throw new Error(`no delivery ${id}`);
    return row;
  };
  /** Creates an event as the API does. Inside a write. */
  const createOne = () => createEvent(sandbox, { workspace, type: 'order.shipped', payload: '{}' });
  const endpoint = (url = 'http://127.0.0.1:9/') =>
    store.writeNow(() => createWebhook(sandbox, { workspace, url, events: ['*'] }));
  /** Creates events. @returns the ids of their deliveries */
  async function trigger(count = 1): Promise<string[]> {
    const created = await Promise.all(Array.from({ length: count }, () => store.write(createOne)));
    const events = created.flatMap((event) => event.eventsToPublish);
    for (const item of events) sandbox.bus.publish(item);
    await runEventLoop();
    const page = { limit: created.length * 1_000, beforeSeq: null };
    return created.flatMap(({ id }) =>
      store.deliveryQueries
        .list({ event_id: id }, page)
        .rows.map((row) => row.id)
        .toReversed(),
    );
  }
  return {
    ...{ sandbox, store, dispatcher, workspace, faults, get, createEvent: createOne },
    ...{ sent: scripted.sent, inFlight: scripted.inFlight, attempt: scripted.attempt },
    ...{ endpoint, trigger },
    /** Creates an endpoint, and an event whose first attempt fails. @returns the IDs of the endpoint and of the delivery */
    async failFirst() {
      const { id: webhook } = endpoint();
      const [id = ''] = await trigger();
      await (await scripted.attempt(1)).respond(failedResult);
      return { webhook, id };
    },
    /** Schedule time at which the next delivery is due. */
    nextDueAt: () => store.deliveries.findNextDueAt(workspace.seq, workspace.clock.now()),
    replay: (id: string, change: ReplayChanges = {}) => replayDelivery(sandbox, { id, ...change }),
    async update(id: string, change: EndpointChange) {
      await store.write(() => updateWebhook(sandbox, id, change));
      sandbox.bus.publish({ type: 'schedule_changed' });
      await runEventLoop();
    },
    async remove(id: string) {
      await store.write(() => deleteWebhook(sandbox, id));
      sandbox.bus.publish({ type: 'schedule_changed' });
      await runEventLoop();
    },
    pass,
    /** Moves the schedule clock. */
    async moveTo(at: number) {
      workspace.clock.moveTo(at);
      sandbox.bus.publish({ type: 'schedule_changed' });
      await runEventLoop();
    },
  };
}
