/**
 * Shares changes between the clients of the live stream, so that those that follow it read each change once, and selects the
 * changes of a client.
 */
import { type DeliveryCondition, matchesDeliveryFilter } from '../contract/list-filters.ts';
import type { StreamTopic, TopicItem } from '../contract/stream-schemas.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { toApiRequest } from '../store/api-requests.ts';
import { toAttempt } from '../store/attempts.ts';
import type { Change } from '../store/change-feed.ts';
import { toDelivery } from '../store/delivery-queries.ts';
import { toWebhookDetail } from '../store/webhooks.ts';
import { setImmediate } from '../timers.ts';

/** Number of changes that are read from the store at a time. */
export const BATCH_SIZE = 200;
/** Number of clients that continue in one turn of the event loop after a commit. */
export const WAKE_SLICE = 50;
/** Highest number of cached changes, and of cached batches. */
const CACHE_SIZE = 1_000;

/** Start of the history that a stream sends. Sequences are only roughly in order of time, so times are compared as well. */
export interface HistoryStart {
  /** Newest sequence when the stream was opened. */
  readonly newest: number;
  /** Wall time from which on requests are sent. */
  readonly wall: number;
  /** Schedule time of the creation from which on deliveries and their attempts are sent, as in lists. */
  readonly schedule: number;
}

/** The items that a client receives. */
export interface StreamSelection {
  /** For deliveries and attempts. Requests have only a workspace, and endpoints a workspace and an ID. */
  readonly filter: DeliveryCondition;
  /** Wall time from which on requests are not sent. */
  readonly untilWall: number | null;
  /** IDs of the endpoints to listen to. Empty: all. */
  readonly listenerIds: readonly string[];
  readonly historyStart: HistoryStart | null;
}

/** A change as clients receive it; null if its rows were removed. */
interface SharedChange {
  readonly item: TopicItem | null;
  /** The body of the delivery, for a change of a delivery or an attempt. */
  readonly getBody: () => string;
}

export class SharedChanges {
  readonly #sandbox: Sandbox;
  readonly #batches = new Map<string, readonly Change[]>();
  readonly #changes = new Map<string, SharedChange>();
  readonly #waiting = new Set<() => void>();
  #toResume: Array<() => void> = [];

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
    sandbox.store.subscribe(() => this.#onCommit());
  }

  /** The first {@link BATCH_SIZE} changes of the given types after `after`. */
  listAfter(after: number, types: ReadonlySet<StreamTopic>): readonly Change[] {
    const { store } = this.#sandbox;
    return this.#getOrRead(this.#batches, `${after} ${[...types]}`, () =>
      store.changeFeed.listAfter(after, types, BATCH_SIZE),
    );
  }

  /** The item of a change, the same object for every client; null if it is not selected. */
  find(change: Change, selection: StreamSelection): TopicItem | null {
    const key = `${change.type} ${change.seq}`;
    const { item, getBody } = this.#getOrRead(this.#changes, key, () => this.#read(change));
    return item !== null && isSelected(item, selection, getBody) ? item : null;
  }

  /** Resolves after the next commit, or when `signal` is aborted. Many clients are resumed in slices. */
  waitForCommit(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const resume = () => {
        this.#waiting.delete(resume);
        signal.removeEventListener('abort', resume);
        resolve();
      };
      this.#waiting.add(resume);
      signal.addEventListener('abort', resume);
      if (signal.aborted) resume();
    });
  }

  #onCommit(): void {
    // Each commit can change rows.
    this.#batches.clear();
    this.#changes.clear();
    const isIdle = this.#toResume.length === 0;
    this.#toResume.push(...this.#waiting);
    this.#waiting.clear();
    if (isIdle) this.#resumeSlice();
  }

  #resumeSlice(): void {
    for (const resume of this.#toResume.splice(0, WAKE_SLICE)) resume();
    if (this.#toResume.length > 0) setImmediate(() => this.#resumeSlice());
  }

  #read({ type, seq: sequence, rowSeq }: Change): SharedChange {
    const { store, rules } = this.#sandbox;
    let body: string | undefined;
    const getBody = () => {
      body ??= store.deliveryQueries.getBody(rowSeq);
      return body;
    };
    if (type === 'request') {
      const row = store.apiRequests.findBySeq(sequence);
      return { item: row ? { type, sequence, request: toApiRequest(row) } : null, getBody };
    }
    if (type === 'webhook') {
      const row = store.webhooks.findWithWorkspace(rowSeq);
      return { item: row ? { type, sequence, webhook: toWebhookDetail(row) } : null, getBody };
    }
    const row = store.deliveryQueries.findBySeq(rowSeq);
    if (row === undefined) return { item: null, getBody };
    const delivery = toDelivery(row);
    if (type === 'delivery') return { item: { type, sequence, delivery }, getBody };
    const attempt = store.attempts.findBySeq(sequence);
    if (attempt === undefined) return { item: null, getBody };
    const message = { id: delivery.id, body: getBody(), scheme: rules.signature };
    return { item: { type, sequence, attempt: toAttempt(attempt, message), delivery }, getBody };
  }

  #getOrRead<Value>(cache: Map<string, Value>, key: string, read: () => Value): Value {
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const value = read();
    if (cache.size >= CACHE_SIZE) cache.clear();
    cache.set(key, value);
    return value;
  }
}

function isSelected(
  item: TopicItem,
  { filter, untilWall, listenerIds, historyStart }: StreamSelection,
  getBody: () => string,
): boolean {
  if (historyStart !== null && item.sequence <= historyStart.newest && isOlder(item, historyStart))
    return false;
  if (item.type === 'request') {
    const { workspace_id, at } = item.request;
    return (
      (filter.workspace_id ?? workspace_id) === workspace_id &&
      (untilWall === null || Date.parse(at) < untilWall)
    );
  }
  const isListenedTo = (id: string) => listenerIds.length === 0 || listenerIds.includes(id);
  if (item.type === 'webhook') {
    const { id, workspace_id } = item.webhook;
    const isWanted =
      (filter.workspace_id ?? workspace_id) === workspace_id && (filter.webhook_id ?? id) === id;
    return isWanted && isListenedTo(id);
  }
  const { delivery } = item;
  return isListenedTo(delivery.webhook_id) && matchesDeliveryFilter(filter, delivery, getBody) === true;
}

function isOlder(item: TopicItem, { wall, schedule }: HistoryStart): boolean {
  if (item.type === 'request') return Date.parse(item.request.at) < wall;
  // The stored history has no changes of endpoints.
  if (item.type === 'webhook') return true;
  return Date.parse(item.delivery.created_at) < schedule;
}
