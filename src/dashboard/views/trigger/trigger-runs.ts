/** The events that this page created. They survive navigation to another view. */
import { signal } from '@preact/signals';
import { mapAtRate } from '../../../client/map-at-rate.ts';
import { SvcError } from '../../../errors.ts';
import { control } from '../../control.ts';
import { subscribe } from '../../live-stream.ts';
import { type ApiErrorResponse, createEvent } from '../../public-api-client.ts';
import { status } from '../../session.ts';
import { toErrorMessage } from '../../toasts.ts';
import { type TriggerInput, toRequest } from './trigger-input.ts';

export interface TriggerRun {
  readonly number: number;
  readonly input: TriggerInput;
  /** IDs of the events in the order of creation. */
  readonly eventIds: readonly string[];
  /** How many of them an earlier request with the same idempotency key had created. */
  readonly replayedCount: number;
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
export async function startRun(input: TriggerInput): Promise<TriggerRun> {
  const abortController = new AbortController();
  let run: TriggerRun = {
    number: ++runCount,
    input,
    eventIds: [],
    replayedCount: 0,
    error: null,
    isFinished: false,
    stop: () => abortController.abort(),
  };
  const update = (changes: Partial<TriggerRun>) => {
    const updated = { ...run, ...changes };
    triggerRuns.value = triggerRuns.peek().map((other) => (other === run ? updated : other));
    run = updated;
  };
  triggerRuns.value = [run, ...triggerRuns.peek()].slice(0, MAX_RUNS);
  const create = async (index: number) => {
    const { body, idempotencyKey } = toRequest(input, index + 1, status.peek()?.payload_field ?? 'payload');
    const apiKey = await getEventApiKey(input.workspaceId);
    const response = await createEvent(body, { apiKey, idempotencyKey });
    if ('code' in response) {
      // Another key is created for the next event.
      if (response.status === 401) createdKeys.delete(input.workspaceId);
      update({ error: response });
      // After one rejection, further requests would be rejected too.
      return abortController.abort();
    }
    const { event, isReplayed } = response;
    update({
      eventIds: [...run.eventIds, event.id],
      replayedCount: run.replayedCount + (isReplayed ? 1 : 0),
    });
  };
  await mapAtRate(create, {
    count: input.count,
    // Only the number of simultaneous requests is limited.
    perSecond: Number.POSITIVE_INFINITY,
    signal: abortController.signal,
  }).catch((error) => {
    const noResponse = { status: 0, code: 'no_emulator', requestId: null };
    if (!abortController.signal.aborted) update({ error: { ...noResponse, message: toErrorMessage(error) } });
  });
  update({ isFinished: true });
  return run;
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

async function createKey(workspaceId: string): Promise<string> {
  const input = { name: 'Dashboard', scopes: ['events:write' as const], workspace_id: workspaceId };
  return (await control.createKey(input)).key;
}

// A reset removes the events and invalidates the keys. It may be among the items that a page has missed.
subscribe((items) => {
  const reset = items.find(({ type }) => type === 'reset');
  if (reset === undefined) return;
  createdKeys.clear();
  const newestId = triggerRuns.peek().flatMap(({ eventIds }) => eventIds.slice(-1))[0];
  if (!reset.isGap) triggerRuns.value = [];
  else if (newestId !== undefined)
    control.getEvent({ id: newestId }).catch((error) => {
      // The connection status shows other errors.
      if (error instanceof SvcError && error.code === 'not_found') triggerRuns.value = [];
    });
});
