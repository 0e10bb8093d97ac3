/** Loads pending deliveries into endpoint queues, a slice per turn of the event loop, so that many do not block it. */
import type { Sandbox } from '../sandbox/sandbox.ts';
import { setImmediate, setTimeout } from '../timers.ts';
import { EndpointQueue } from './endpoint-queue.ts';

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
