/** The events that this page created and the state of their deliveries. They survive navigation to another view. */
import { signal } from '@preact/signals';
import { mapAtRate } from '../../../client/map-at-rate.ts';
import type { Delivery } from '../../../contract/delivery-schemas.ts';
import { SvcError } from '../../../errors.ts';
import { control } from '../../control.ts';
import { subscribe } from '../../live-stream.ts';
import { MAX_PAGE_SIZE } from '../../paged-list.ts';
import { type ApiErrorResponse, createEvent } from '../../public-api-client.ts';
import { status } from '../../session.ts';
import { toErrorMessage } from '../../toasts.ts';
import { type TriggerInput, toRequest } from './trigger-input.ts';

export interface TriggerRun {
  readonly number: number;
  readonly input: TriggerInput;
  /** IDs of the events in the order of creation. */
  readonly eventIds: ReadonlySet<string>;
  /** How many of them an earlier request with the same idempotency key had created. */
  readonly replayedCount: number;
  readonly deliveries: ReadonlyMap<string, Delivery>;
  /** The error that ended the run; null when it had no error. */
  readonly error: ApiErrorResponse | null;
  readonly isFinished: boolean;
  readonly stop: () => void;
}

const MAX_RUNS = 20;

/** Newest first. */
export const triggerRuns = signal<readonly TriggerRun[]>([]);

let runCount = 0;

/** Creates the events. Resolves when all are created, when one is rejected, or when the run is stopped. */
export async function startRun(input: TriggerInput): Promise<void> {
  const number = ++runCount;
  const abortController = new AbortController();
  const run: TriggerRun = {
    number,
    input,
    replayedCount: 0,
    error: null,
    isFinished: false,
    stop: () => abortController.abort(),
    eventIds: new Set<string>(),
    deliveries: new Map(),
  };
  triggerRuns.value = [run, ...triggerRuns.peek()].slice(0, MAX_RUNS);
  await mapAtRate((index) => createEventOfRun(run, index + 1), {
    count: input.count,
    // Only the number of simultaneous requests is limited.
    perSecond: Number.POSITIVE_INFINITY,
    signal: abortController.signal,
  }).catch((error) => {
    if (!abortController.signal.aborted) fail(run, { ...noResponse, message: toErrorMessage(error) });
  });
  updateRun(number, () => ({ isFinished: true }));
}

const noResponse = { status: 0, code: 'no_emulator', requestId: null };

/** @param requestNumber from 1 */
async function createEventOfRun(run: TriggerRun, requestNumber: number): Promise<void> {
  const { number, input } = run;
  const { body, idempotencyKey } = toRequest(
    input,
    requestNumber,
    status.peek()?.payload_member ?? 'payload',
  );
  const apiKey = await getEventApiKey(input.workspaceId);
  const response = await createEvent(body, { apiKey, idempotencyKey });
  if ('code' in response) {
    if (response.status === 401) forgetEventApiKey(input.workspaceId);
    return fail(run, response);
  }
  const { event, isReplayed } = response;
  updateRun(number, ({ eventIds, replayedCount }) => ({
    eventIds: new Set([...eventIds, event.id]),
    replayedCount: replayedCount + (isReplayed ? 1 : 0),
  }));
  // Deliveries may have started before the response that contains the event ID; the live stream reports later changes.
  const page = await control
    .listDeliveries({ event_id: event.id, limit: MAX_PAGE_SIZE })
    .catch(() => ({ data: [] }));
  updateRun(number, ({ deliveries }) => ({
    deliveries: new Map([...toEntries(page.data), ...deliveries]),
  }));
}

/** After one rejection, further requests would be rejected too. */
function fail({ number, stop }: TriggerRun, error: ApiErrorResponse): void {
  updateRun(number, () => ({ error }));
  stop();
}

function updateRun(number: number, toChanges: (run: TriggerRun) => Partial<TriggerRun>): void {
  triggerRuns.value = triggerRuns
    .peek()
    .map((run) => (run.number === number ? { ...run, ...toChanges(run) } : run));
}

subscribe((items) => {
  if (items.some(({ type, isGap }) => type === 'reset' && !isGap)) triggerRuns.value = [];
  if (items.some(({ isGap }) => isGap) && triggerRuns.peek().length > 0) void reloadRuns();
  updateAllRuns(items.flatMap((item) => ('delivery' in item ? [item.delivery] : [])));
});

/** Loads the newest deliveries after this page has missed changes. One of them may have been a reset. */
async function reloadRuns(): Promise<void> {
  const deliveriesBefore = mapDeliveries();
  const newestEventId = triggerRuns.peek().flatMap(({ eventIds }) => [...eventIds].slice(-1))[0];
  try {
    if (newestEventId !== undefined) await control.getEvent({ id: newestEventId });
    const { data } = await control.listDeliveries({ limit: MAX_PAGE_SIZE });
    const deliveries = mapDeliveries();
    // The live stream may have reported newer states meanwhile.
    updateAllRuns(data.filter(({ id }) => deliveries.get(id) === deliveriesBefore.get(id)));
  } catch (error) {
    // The connection status shows other errors.
    if (error instanceof SvcError && error.code === 'not_found') triggerRuns.value = [];
  }
}

function mapDeliveries(): ReadonlyMap<string, Delivery> {
  return new Map(triggerRuns.peek().flatMap(({ deliveries }) => [...deliveries]));
}

function updateAllRuns(updated: readonly Delivery[]): void {
  if (updated.length > 0) triggerRuns.value = triggerRuns.peek().map((run) => updateDeliveries(run, updated));
}

function updateDeliveries(run: TriggerRun, updated: readonly Delivery[]): TriggerRun {
  const runDeliveries = updated.filter(({ event_id: id }) => run.eventIds.has(id));
  if (runDeliveries.length === 0) return run;
  return { ...run, deliveries: new Map([...run.deliveries, ...toEntries(runDeliveries)]) };
}

function toEntries(deliveries: readonly Delivery[]): [string, Delivery][] {
  return deliveries.map((delivery) => [delivery.id, delivery]);
}

/** Keys that this page created, by workspace ID. */
const createdKeys = new Map<string, Promise<string>>();

/**
 * The API key for events of a workspace. The key of the emulator is for one workspace; for another one, a key is created
 * on first use.
 */
async function getEventApiKey(workspaceId: string): Promise<string> {
  const emulator = status.peek();
  if (emulator?.workspace_id === workspaceId) return emulator.api_key;
  const key = createdKeys.get(workspaceId) ?? createKey(workspaceId);
  createdKeys.set(workspaceId, key);
  key.catch(() => createdKeys.delete(workspaceId));
  return key;
}

/** Creates another key for the next event, because the previous one was rejected. */
function forgetEventApiKey(workspaceId: string): void {
  createdKeys.delete(workspaceId);
}

async function createKey(workspaceId: string): Promise<string> {
  const input = { name: 'Dashboard', scopes: ['events:write' as const], workspace_id: workspaceId };
  return (await control.createKey(input)).key;
}

// A reset invalidates the keys.
subscribe((items) => {
  if (items.some(({ type }) => type === 'reset')) createdKeys.clear();
});
