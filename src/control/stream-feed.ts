/** Shares changes between the clients of the live stream: each change is read and serialized once. */
import type { StreamTopic, TopicItem } from '../contract/stream-schemas.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { toApiRequest } from '../store/api-requests.ts';
import { toAttempt } from '../store/attempts.ts';
import type { Change } from '../store/change-feed.ts';
import { toDelivery } from '../store/delivery-queries.ts';
import { setImmediate } from '../timers.ts';
import { matchesDelivery, matchesRequest, matchesText, type StreamSelection } from './stream-selection.ts';

/** Number of changes that are read from the store at a time. */
export const BATCH_SIZE = 200;
/** Number of clients that continue in one turn of the event loop after a commit. */
export const WAKE_SLICE = 50;
/** Highest number of cached changes, and of cached batches. */
const CACHE_SIZE = 1_000;

/** A change as the clients receive it; null if its rows were removed. */
interface SharedChange {
  readonly item: TopicItem | null;
  /** The body of the delivery. */
  readonly getBody: () => string;
}

export class StreamFeed {
  readonly #sandbox: Sandbox;
  /** Number of the commit that the caches belong to, because each commit can change rows. */
  #cachedCommit = 0;
  readonly #batches = new Map<string, readonly Change[]>();
  readonly #changes = new Map<string, SharedChange>();
  #waiting = new Set<() => void>();
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
    if (item === null) return null;
    if (item.type === 'request') return matchesRequest(selection, item.request) ? item : null;
    const { delivery } = item;
    return matchesDelivery(selection, delivery) && matchesText(selection, delivery, getBody) ? item : null;
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
    const { commitCount } = this.#sandbox.store;
    if (commitCount !== this.#cachedCommit) {
      this.#cachedCommit = commitCount;
      this.#batches.clear();
      this.#changes.clear();
    }
    const isIdle = this.#toResume.length === 0;
    this.#toResume.push(...this.#waiting);
    this.#waiting = new Set();
    if (isIdle) this.#resumeSlice();
  }

  #resumeSlice(): void {
    for (const resume of this.#toResume.splice(0, WAKE_SLICE)) resume();
    if (this.#toResume.length > 0) setImmediate(() => this.#resumeSlice());
  }

  #read({ type, seq: sequence, deliverySeq }: Change): SharedChange {
    const { store, rules } = this.#sandbox;
    let body: string | undefined;
    const getBody = () => {
      body ??= store.deliveryQueries.getBody(deliverySeq);
      return body;
    };
    if (type === 'request') {
      const row = store.apiRequests.findBySeq(sequence);
      return { item: row ? { type, sequence, request: toApiRequest(row) } : null, getBody };
    }
    const row = store.deliveryQueries.findBySeq(deliverySeq);
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
