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
  /** The caches are valid for this commit, because rows can change with each one. */
  #commit = 0;
  readonly #batches = new Map<string, readonly Change[]>();
  readonly #changes = new Map<string, SharedChange>();
  #waiting = new Set<() => void>();
  #woken: Array<() => void> = [];

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
    sandbox.store.subscribe(() => this.#wake());
  }

  /** The first {@link BATCH_SIZE} changes of the given types after `after`. */
  listAfter(after: number, types: ReadonlySet<StreamTopic>): readonly Change[] {
    const { store } = this.#sandbox;
    return this.#remember(this.#batches, `${after} ${[...types]}`, () =>
      store.changeFeed.listAfter(after, types, BATCH_SIZE),
    );
  }

  /** The item of a change, the same object for every client; null if it is not selected. */
  find(change: Change, selection: StreamSelection): TopicItem | null {
    const key = `${change.type} ${change.seq}`;
    const { item, getBody } = this.#remember(this.#changes, key, () => this.#read(change));
    if (item === null) return null;
    if (item.type === 'request') return matchesRequest(selection, item.request) ? item : null;
    const { delivery } = item;
    return matchesDelivery(selection, delivery) && matchesText(selection, delivery, getBody) ? item : null;
  }

  /** Resolves after the next commit, or when `signal` is aborted. Many clients continue in slices. */
  waitForCommit(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal.addEventListener('abort', done);
      if (signal.aborted) done();
    });
  }

  #wake(): void {
    const { commitCount } = this.#sandbox.store;
    if (commitCount !== this.#commit) {
      this.#commit = commitCount;
      this.#batches.clear();
      this.#changes.clear();
    }
    const isIdle = this.#woken.length === 0;
    this.#woken.push(...this.#waiting);
    this.#waiting = new Set();
    if (isIdle) this.#continueSome();
  }

  #continueSome(): void {
    for (const done of this.#woken.splice(0, WAKE_SLICE)) done();
    if (this.#woken.length > 0) setImmediate(() => this.#continueSome());
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
    const sent = { id: delivery.id, body: getBody(), scheme: rules.signature };
    return { item: { type, sequence, attempt: toAttempt(attempt, sent), delivery }, getBody };
  }

  #remember<Value>(known: Map<string, Value>, key: string, read: () => Value): Value {
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = read();
    if (known.size >= CACHE_SIZE) known.clear();
    known.set(key, value);
    return value;
  }
}
