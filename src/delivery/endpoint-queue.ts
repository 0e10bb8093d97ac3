/** The due deliveries of one endpoint, and the loader that fills queues. The rows in the database are the queue; memory holds a window of it. */
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { LoadedWorkspace } from '../sandbox/workspace-registry.ts';
import type { Store } from '../store/store.ts';
import { setImmediate, setTimeout } from '../timers.ts';

/** Maximum number of due deliveries that a queue holds in memory. */
const WINDOW_SIZE = 256;

export interface EndpointQueueOptions {
  readonly webhookSeq: number;
  readonly workspace: LoadedWorkspace;
  readonly store: Store;
  /** Schedule time of the earliest pending delivery in the store; null without one. */
  readonly nextDueAt: number | null;
  readonly isEnabled: boolean;
}

export class EndpointQueue {
  readonly webhookSeq: number;
  readonly workspace: LoadedWorkspace;
  /** The deliveries of a disabled endpoint are paused. */
  isEnabled: boolean;
  inFlight = 0;
  /** A `reorder` fault holds a delivery until another one has been sent. */
  hasReorderedDelivery = false;
  readonly #store: Store;
  /** Due and not in flight, earliest first. */
  #dueSeqs: number[] = [];
  /** Deliveries in `#dueSeqs` or in flight, which {@link #refill} must not add again. */
  readonly #heldSeqs = new Set<number>();
  /** Held deliveries that got a new due time, which the end of their attempt may not know of. */
  readonly #rescheduledSeqs = new Set<number>();
  /** Schedule time of the earliest delivery in the store that is not held; `Infinity` without one. */
  #nextDueAt: number;

  constructor({ webhookSeq, workspace, store, nextDueAt, isEnabled }: EndpointQueueOptions) {
    this.webhookSeq = webhookSeq;
    this.workspace = workspace;
    this.isEnabled = isEnabled;
    this.#store = store;
    this.#nextDueAt = nextDueAt ?? Number.POSITIVE_INFINITY;
  }

  /** Reads the store again after pending deliveries were removed. */
  reload(): void {
    for (const seq of this.#dueSeqs) {
      this.#heldSeqs.delete(seq);
      this.#rescheduledSeqs.delete(seq);
    }
    this.#dueSeqs = [];
    this.#nextDueAt = this.#findNextDueAt(Number.NEGATIVE_INFINITY);
  }

  /** Adds a delivery that got a due time, in schedule time. */
  schedule(seq: number, dueAt: number): void {
    if (this.#heldSeqs.has(seq)) {
      this.#rescheduledSeqs.add(seq);
      return;
    }
    const now = this.workspace.clock.now();
    // Straight into the window, unless other due deliveries already wait outside of it.
    if (dueAt <= now && this.#nextDueAt > now && this.#dueSeqs.length < WINDOW_SIZE) {
      this.#hold(seq);
    } else {
      this.#nextDueAt = Math.min(this.#nextDueAt, dueAt);
    }
  }

  /** Whether a delivery is due now and not in flight. */
  hasDue(): boolean {
    return this.isEnabled && (this.#dueSeqs.length > 0 || this.#nextDueAt <= this.workspace.clock.now());
  }

  /** Schedule time at which {@link hasDue} becomes true: `Infinity` if nothing is scheduled, `-Infinity` if it is true. */
  get nextDueAt(): number {
    if (!this.isEnabled) return Number.POSITIVE_INFINITY;
    return this.#dueSeqs.length > 0 ? Number.NEGATIVE_INFINITY : this.#nextDueAt;
  }

  /** Takes the next due delivery, which is in flight until {@link release}. @returns its sequence. */
  takeDue(): number | undefined {
    if (!this.isEnabled) return undefined;
    if (this.#dueSeqs.length === 0) this.#refill();
    const seq = this.#dueSeqs.shift();
    if (seq !== undefined) this.inFlight++;
    return seq;
  }

  /** Ends an attempt. The delivery is due again at `dueAt`, or not at all. */
  release(seq: number, dueAt: number | null): void {
    this.inFlight--;
    this.#heldSeqs.delete(seq);
    const nextDueAt = this.#rescheduledSeqs.delete(seq)
      ? this.#store.deliveries.getProgress(seq).due_at
      : dueAt;
    if (nextDueAt !== null) this.schedule(seq, nextDueAt);
  }

  /**
   * Schedule time at which the first paused delivery expires: `Infinity` while the endpoint is enabled, and until its
   * last attempt in flight has ended.
   */
  findExpiryTime(windowMs: number): number {
    if (this.isEnabled || this.inFlight > 0) return Number.POSITIVE_INFINITY;
    const startedAt = this.#store.deliveries.findOldestWindowStart(this.webhookSeq);
    return startedAt === null ? Number.POSITIVE_INFINITY : startedAt + windowMs;
  }

  /** Expires the paused deliveries whose retry window is over, each at its own time. Inside a write. */
  expirePaused(windowMs: number): void {
    if (this.isEnabled || this.inFlight > 0) return;
    const { deliveries } = this.#store;
    const startedBy = this.workspace.clock.now() - windowMs;
    for (const { seq, window_started_at } of deliveries.listExpirable(this.webhookSeq, startedBy)) {
      deliveries.expire(seq, window_started_at + windowMs, this.#store.nextSeq());
    }
  }

  #refill(): void {
    const now = this.workspace.clock.now();
    if (this.#nextDueAt > now) return;
    const limit = WINDOW_SIZE + this.#heldSeqs.size;
    const dueSeqs = this.#store.deliveries.listDue(this.webhookSeq, now, limit);
    for (const seq of dueSeqs) if (!this.#heldSeqs.has(seq)) this.#hold(seq);
    this.#nextDueAt = dueSeqs.length < limit ? this.#findNextDueAt(now) : now;
  }

  #findNextDueAt(afterDueAt: number): number {
    return this.#store.deliveries.findNextDueAt(this.webhookSeq, afterDueAt) ?? Number.POSITIVE_INFINITY;
  }

  #hold(seq: number): void {
    this.#heldSeqs.add(seq);
    this.#dueSeqs.push(seq);
  }
}

/** Endpoints, or deliveries of one event, that are handled in one turn of the event loop. */
export const SLICE_SIZE = 100;

export interface QueueLoaderOptions {
  readonly sandbox: Sandbox;
  readonly getQueue: (webhookSeq: number) => EndpointQueue | undefined;
  readonly addQueue: (queue: EndpointQueue) => void;
  /** Called for a queue that was created, or that got deliveries. */
  readonly onLoad: (queue: EndpointQueue) => void;
  /** Called after each slice. */
  readonly onSlice: () => void;
  /** Runs a step. @returns false if the store failed; the slice is then loaded again after `retryMs` of real time. */
  readonly runSafely: (step: () => void) => boolean;
  readonly retryMs: number;
  readonly isRunning: () => boolean;
}

interface Load {
  /** The only workspace whose deliveries it loads; null for all workspaces. */
  readonly workspaceSeq: number | null;
}

export class QueueLoader {
  readonly #options: QueueLoaderOptions;
  readonly #loads = new Set<Load>();

  constructor(options: QueueLoaderOptions) {
    this.#options = options;
  }

  /** Whether a load that may have deliveries of the workspace is in progress. */
  isLoading(workspaceSeq: number): boolean {
    for (const load of this.#loads) {
      if (load.workspaceSeq === null || load.workspaceSeq === workspaceSeq) return true;
    }
    return false;
  }

  /** Ends every load, because the rows were replaced. */
  clear(): void {
    this.#loads.clear();
  }

  /** Creates the queues of the endpoints that have a pending delivery. */
  loadEndpoints(): void {
    const { sandbox, getQueue, onLoad } = this.#options;
    this.#load(null, 0, (afterSeq) => {
      const rows = sandbox.store.webhooks.listNextDue(afterSeq, SLICE_SIZE);
      for (const { seq, workspace_seq, disabled, next_due_at } of rows) {
        if (next_due_at === null || getQueue(seq)) continue;
        onLoad(this.#addQueue(seq, workspace_seq, next_due_at, disabled));
      }
      return rows;
    });
  }

  /** Adds the deliveries of an event to many endpoints to their queues. */
  loadEvent(workspaceSeq: number, eventSeq: number): void {
    const { sandbox, getQueue, onLoad } = this.#options;
    this.#load(workspaceSeq, eventSeq, (afterSeq) => {
      const rows = sandbox.store.deliveries.listPendingByEvent(eventSeq, afterSeq, SLICE_SIZE);
      for (const { seq, webhook_seq, due_at, disabled, other_due_at } of rows) {
        const queue =
          getQueue(webhook_seq) ?? this.#addQueue(webhook_seq, workspaceSeq, other_due_at, disabled);
        queue.schedule(seq, due_at);
        onLoad(queue);
      }
      return rows;
    });
  }

  #addQueue(
    webhookSeq: number,
    workspaceSeq: number,
    nextDueAt: number | null,
    disabled: 0 | 1,
  ): EndpointQueue {
    const { store, workspaces } = this.#options.sandbox;
    const workspace = workspaces.get(workspaceSeq);
    const queue = new EndpointQueue({ webhookSeq, workspace, store, nextDueAt, isEnabled: disabled === 0 });
    this.#options.addQueue(queue);
    return queue;
  }

  /** @param loadSlice loads the rows after a sequence and returns them; fewer than a slice are the last ones. */
  #load(
    workspaceSeq: number | null,
    startSeq: number,
    loadSlice: (afterSeq: number) => readonly { readonly seq: number }[],
  ): void {
    const { runSafely, onSlice, isRunning, retryMs } = this.#options;
    const load = { workspaceSeq };
    let afterSeq = startSeq;
    this.#loads.add(load);
    const step = () => {
      if (!isRunning() || !this.#loads.has(load)) return;
      const isLoaded = runSafely(() => {
        const rows = loadSlice(afterSeq);
        afterSeq = rows.at(-1)?.seq ?? afterSeq;
        if (rows.length < SLICE_SIZE) this.#loads.delete(load);
      });
      if (!isLoaded) setTimeout(step, retryMs).unref();
      else if (this.#loads.has(load)) setImmediate(step);
      onSlice();
    };
    step();
  }
}
