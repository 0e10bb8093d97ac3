/** The events that this page has created, and what becomes of their deliveries. They outlast a look at another view. */
import { signal } from '@preact/signals';
import type { Delivery } from '../../../contract/deliveries.ts';
import { runBurst } from '../../../control/burst.ts';
import { control } from '../../control.ts';
import { listen } from '../../live.ts';
import { toMessage } from '../../message.ts';
import { createEvent, type Refusal } from '../../public-api.ts';
import { status } from '../../session.ts';
import { forgetApiKey, getApiKey } from './api-key.ts';
import { type Order, toRequest } from './order.ts';

export interface Sending {
  readonly number: number;
  readonly order: Order;
  /** Ids of the events, in the order in which they were created. */
  readonly eventIds: ReadonlySet<string>;
  /** How many of them an earlier request with the same idempotency key had created. */
  readonly replayedCount: number;
  readonly deliveries: ReadonlyMap<string, Delivery>;
  /** Why it went no further; null where nothing stopped it. */
  readonly refusal: Refusal | null;
  readonly isOver: boolean;
  /** Begins no further one. */
  readonly stop: () => void;
}

const KEPT = 20;

/** Newest first. */
export const sendings = signal<readonly Sending[]>([]);

let count = 0;

/** Creates the events of an order. Resolves when all are created, when one is refused, or once it is stopped. */
export async function send(order: Order): Promise<void> {
  const number = ++count;
  const end = new AbortController();
  const sending: Sending = {
    ...{ number, order, replayedCount: 0, refusal: null, isOver: false, stop: () => end.abort() },
    ...{ eventIds: new Set<string>(), deliveries: new Map() },
  };
  sendings.value = [sending, ...sendings.peek()].slice(0, KEPT);
  const { count: wanted } = order;
  await runBurst((index) => sendOne(sending, index + 1), {
    ...{ count: wanted, perSecond: Number.POSITIVE_INFINITY, signal: end.signal },
  }).catch((error) => {
    if (!end.signal.aborted) refuse(sending, { status: 0, ...nobody, message: toMessage(error) });
  });
  change(number, () => ({ isOver: true }));
}

const nobody = { code: 'no_emulator', requestId: null };

async function sendOne(sending: Sending, index: number): Promise<void> {
  const { number, order } = sending;
  const { body, idempotencyKey } = toRequest(order, index, status.peek()?.payload_member ?? 'payload');
  const apiKey = await getApiKey(order.workspaceId);
  const answer = await createEvent(body, { apiKey, idempotencyKey });
  if ('code' in answer) {
    if (answer.status === 401) forgetApiKey(order.workspaceId);
    return refuse(sending, answer);
  }
  const { event, isReplayed } = answer;
  change(number, ({ eventIds, replayedCount }) => ({
    eventIds: new Set([...eventIds, event.id]),
    replayedCount: replayedCount + (isReplayed ? 1 : 0),
  }));
  // What was told before the answer named the event; the live stream tells the rest.
  const look = await control.listDeliveries({ event_id: event.id, limit: 1000 }).catch(() => ({ data: [] }));
  change(number, ({ deliveries }) => ({ deliveries: new Map([...toEntries(look.data), ...deliveries]) }));
}

/** What is refused once would be again. */
function refuse({ number, stop }: Sending, refusal: Refusal): void {
  change(number, () => ({ refusal }));
  stop();
}

function change(number: number, toChanges: (sending: Sending) => Partial<Sending>): void {
  sendings.value = sendings
    .peek()
    .map((sending) => (sending.number === number ? { ...sending, ...toChanges(sending) } : sending));
}

listen((items) => {
  if (items.some(({ type }) => type === 'reset')) sendings.value = [];
  const told = items.flatMap((item) => ('delivery' in item ? [item.delivery] : []));
  if (told.length > 0) sendings.value = sendings.peek().map((sending) => takeOver(sending, told));
});

function takeOver(sending: Sending, told: readonly Delivery[]): Sending {
  const own = told.filter(({ event_id: id }) => sending.eventIds.has(id));
  if (own.length === 0) return sending;
  return { ...sending, deliveries: new Map([...sending.deliveries, ...toEntries(own)]) };
}

function toEntries(deliveries: readonly Delivery[]): [string, Delivery][] {
  return deliveries.map((delivery) => [delivery.id, delivery]);
}
