/** Reads a change as the item of the live stream that a client receives. */
import type { TopicItem } from '../../operations/stream-schemas.ts';
import type { DeliveryCondition } from '../../resources/delivery.ts';
import type { RequestCondition } from '../../resources/request.ts';
import { toApiRequest } from '../../store/api-requests.ts';
import { toAttempt } from '../../store/attempts.ts';
import type { Change } from '../../store/change-feed.ts';
import { toDelivery } from '../../store/delivery-queries.ts';
import type { Store } from '../../store/store.ts';
import type { Sandbox } from '../service/sandbox.ts';

/** Start of the history that a stream sends. Sequences are only roughly in order of time, so times are compared as well. */
export interface HistoryStart {
  /** Newest sequence when the stream was opened. */
  readonly newest: number;
  /** Wall time from which on requests are sent. */
  readonly wall: number;
  /** Schedule time of the creation from which on deliveries and their attempts are sent, as in lists. */
  readonly schedule: number;
}

export interface StreamSelection {
  /** For deliveries and attempts. */
  readonly deliveries: DeliveryCondition;
  readonly requests: RequestCondition;
  /** IDs of the endpoints to listen to. Empty: all. */
  readonly listenerIds: readonly string[];
  readonly historyStart: HistoryStart | null;
}

/** The item of a change; null if it is not selected, or its row was removed. */
export function findItem(sandbox: Sandbox, change: Change, selection: StreamSelection): TopicItem | null {
  const item = readItem(sandbox, change);
  return item !== null && isSelected(sandbox.store, item, change, selection) ? item : null;
}

/** Resolves after the next commit, or when `signal` is aborted. */
export function waitForCommit(store: Pick<Store, 'subscribe'>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const resume = () => {
      unsubscribe();
      signal.removeEventListener('abort', resume);
      resolve();
    };
    const unsubscribe = store.subscribe(resume);
    signal.addEventListener('abort', resume);
    if (signal.aborted) resume();
  });
}

function readItem({ store, rules }: Sandbox, { type, seq: sequence, rowSeq }: Change): TopicItem | null {
  if (type === 'request') {
    const row = store.apiRequests.findBySeq(sequence);
    return row ? { type, sequence, request: toApiRequest(row) } : null;
  }
  const row = store.deliveryQueries.findBySeq(rowSeq);
  if (row === undefined) return null;
  const delivery = toDelivery(row);
  if (type === 'delivery') return { type, sequence, delivery };
  const attempt = store.attempts.findBySeq(sequence);
  if (attempt === undefined) return null;
  const message = { id: delivery.id, body: store.deliveryQueries.getBody(rowSeq), scheme: rules.signature };
  return { type, sequence, attempt: toAttempt(attempt, message), delivery };
}

function isSelected(
  store: Store,
  item: TopicItem,
  { seq, rowSeq }: Change,
  { deliveries, requests, listenerIds, historyStart }: StreamSelection,
): boolean {
  if (historyStart !== null && seq <= historyStart.newest && isOlder(item, historyStart)) return false;
  if (item.type === 'request') return store.apiRequests.matches(seq, requests);
  const isListenedTo = listenerIds.length === 0 || listenerIds.includes(item.delivery.webhook_id);
  return isListenedTo && store.deliveryQueries.matches(rowSeq, deliveries);
}

function isOlder(item: TopicItem, { wall, schedule }: HistoryStart): boolean {
  if (item.type === 'request') return Date.parse(item.request.at) < wall;
  return Date.parse(item.delivery.created_at) < schedule;
}
