/** The events that this page created and the state of their deliveries. They survive navigation to another view. */
import { signal } from '@preact/signals';
import type { Delivery } from '../../../contract/delivery-schemas.ts';
import { mapAtRate } from '../../../control/map-at-rate.ts';
import { control } from '../../control.ts';
import { toErrorMessage } from '../../error-message.ts';
import { subscribe } from '../../live-stream.ts';
import { type ApiErrorResponse, createEvent } from '../../public-api-client.ts';
import { status } from '../../session.ts';
import { forgetEventApiKey, getEventApiKey } from './event-api-key.ts';
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

let count = 0;

/** Creates the events. Resolves when all are created, when one is rejected, or when the run is stopped. */
export async function startRun(order: TriggerInput): Promise<void> {
  const number = ++count;
  const end = new AbortController();
  const triggerRun: TriggerRun = {
    ...{ number, input: order, replayedCount: 0, error: null, isFinished: false, stop: () => end.abort() },
    ...{ eventIds: new Set<string>(), deliveries: new Map() },
  };
  triggerRuns.value = [triggerRun, ...triggerRuns.peek()].slice(0, MAX_RUNS);
  const { count: wanted } = order;
  await mapAtRate((index) => sendOne(triggerRun, index + 1), {
    ...{ count: wanted, perSecond: Number.POSITIVE_INFINITY, signal: end.signal },
  }).catch((error) => {
    if (!end.signal.aborted) fail(triggerRun, { status: 0, ...nobody, message: toErrorMessage(error) });
  });
  change(number, () => ({ isFinished: true }));
}

const nobody = { code: 'no_emulator', requestId: null };

async function sendOne(triggerRun: TriggerRun, index: number): Promise<void> {
  const { number, input } = triggerRun;
  const { body, idempotencyKey } = toRequest(input, index, status.peek()?.payload_member ?? 'payload');
  const apiKey = await getEventApiKey(input.workspaceId);
  const answer = await createEvent(body, { apiKey, idempotencyKey });
  if ('code' in answer) {
    if (answer.status === 401) forgetEventApiKey(input.workspaceId);
    return fail(triggerRun, answer);
  }
  const { event, isReplayed } = answer;
  change(number, ({ eventIds, replayedCount }) => ({
    eventIds: new Set([...eventIds, event.id]),
    replayedCount: replayedCount + (isReplayed ? 1 : 0),
  }));
  // Deliveries may have started before the response that contains the event ID; the live stream reports later changes.
  const look = await control.listDeliveries({ event_id: event.id, limit: 1000 }).catch(() => ({ data: [] }));
  change(number, ({ deliveries }) => ({ deliveries: new Map([...toEntries(look.data), ...deliveries]) }));
}

/** After one rejection, further requests would be rejected too. */
function fail({ number, stop }: TriggerRun, apiErrorResponse: ApiErrorResponse): void {
  change(number, () => ({ error: apiErrorResponse }));
  stop();
}

function change(number: number, toChanges: (triggerRun: TriggerRun) => Partial<TriggerRun>): void {
  triggerRuns.value = triggerRuns
    .peek()
    .map((triggerRun) =>
      triggerRun.number === number ? { ...triggerRun, ...toChanges(triggerRun) } : triggerRun,
    );
}

subscribe((items) => {
  if (items.some(({ type }) => type === 'reset')) triggerRuns.value = [];
  const told = items.flatMap((item) => ('delivery' in item ? [item.delivery] : []));
  if (told.length > 0)
    triggerRuns.value = triggerRuns.peek().map((triggerRun) => updateDeliveries(triggerRun, told));
});

function updateDeliveries(triggerRun: TriggerRun, told: readonly Delivery[]): TriggerRun {
  const own = told.filter(({ event_id: id }) => triggerRun.eventIds.has(id));
  if (own.length === 0) return triggerRun;
  return { ...triggerRun, deliveries: new Map([...triggerRun.deliveries, ...toEntries(own)]) };
}

function toEntries(deliveries: readonly Delivery[]): [string, Delivery][] {
  return deliveries.map((delivery) => [delivery.id, delivery]);
}
