/** The deliveries of one endpoint that wait for their turn. The rows are the queue; a lane holds a window of it. */
import type { LoadedWorkspace } from '../sandbox/workspace-registry.ts';
import type { DeliveryTable } from '../store/deliveries.ts';

/** Due deliveries of one endpoint that are held in memory at most. */
const WINDOW = 256;

export class EndpointQueue {
  readonly webhookSeq: number;
  readonly workspace: LoadedWorkspace;
  /** A disabled endpoint keeps its deliveries waiting. */
  isEnabled = true;
  inFlight = 0;
  /** A fault lets a delivery wait until another one has been sent. */
  hasReorderedDelivery = false;
  readonly #deliveries: DeliveryTable;
  /** Due and not yet under way, earliest first. */
  #ready: number[] = [];
  /** In `#ready` or under way: what a look into the store must not bring a second time. */
  readonly #held = new Set<number>();
  /** Held ones that were given a due time meanwhile: how their attempt ends may not know of it. */
  readonly #renewed = new Set<number>();
  /** Schedule time of the earliest delivery in the store that is not held. */
  #nextDueAt: number;

  /** @param getNextDueAt schedule time of the earliest delivery in the store; null without one. */
  constructor(
    webhookSeq: number,
    workspace: LoadedWorkspace,
    deliveries: DeliveryTable,
    nextDueAt: number | null,
  ) {
    this.webhookSeq = webhookSeq;
    this.workspace = workspace;
    this.#deliveries = deliveries;
    this.#nextDueAt = nextDueAt ?? Number.POSITIVE_INFINITY;
  }

  /** Reads the store again, when pending deliveries were removed. */
  reload(): void {
    for (const seq of this.#ready) {
      this.#held.delete(seq);
      this.#renewed.delete(seq);
    }
    this.#ready = [];
    this.#nextDueAt =
      this.#deliveries.findNextDueAt(this.webhookSeq, Number.NEGATIVE_INFINITY) ?? Number.POSITIVE_INFINITY;
  }

  /** A delivery was given a due time. */
  schedule(seq: number, dueAt: number): void {
    if (this.#held.has(seq)) {
      this.#renewed.add(seq);
      return;
    }
    const now = this.workspace.clock.now();
    // Straight into the window, unless others that are due already wait outside it.
    if (dueAt <= now && this.#nextDueAt > now && this.#ready.length < WINDOW) this.#hold(seq);
    else this.#nextDueAt = Math.min(this.#nextDueAt, dueAt);
  }

  /** Whether a delivery is due now and not under way. */
  hasDue(): boolean {
    return this.isEnabled && (this.#ready.length > 0 || this.#nextDueAt <= this.workspace.clock.now());
  }

  /** When {@link hasDue} will be true next, in schedule time; infinite when nothing is planned. */
  get nextDueAt(): number {
    if (!this.isEnabled) return Number.POSITIVE_INFINITY;
    return this.#ready.length > 0 ? Number.NEGATIVE_INFINITY : this.#nextDueAt;
  }

  /** Takes the next due delivery on its way; there is none while the endpoint is disabled. */
  takeDue(): number | undefined {
    if (!this.isEnabled) return undefined;
    if (this.#ready.length === 0) this.#refill();
    const seq = this.#ready.shift();
    if (seq !== undefined) this.inFlight++;
    return seq;
  }

  /** A delivery that was under way has ended, and is due again at `nextDueAt` or not at all. */
  release(seq: number, dueAt: number | null): void {
    this.inFlight--;
    this.#held.delete(seq);
    const next = this.#renewed.delete(seq) ? this.#deliveries.getProgress(seq).due_at : dueAt;
    if (next !== null) this.schedule(seq, next);
  }

  #refill(): void {
    const now = this.workspace.clock.now();
    if (this.#nextDueAt > now) return;
    const limit = WINDOW + this.#held.size;
    const due = this.#deliveries.listDue(this.webhookSeq, now, limit);
    for (const seq of due) if (!this.#held.has(seq)) this.#hold(seq);
    this.#nextDueAt =
      due.length < limit
        ? (this.#deliveries.findNextDueAt(this.webhookSeq, now) ?? Number.POSITIVE_INFINITY)
        : now;
  }

  #hold(seq: number): void {
    this.#held.add(seq);
    this.#ready.push(seq);
  }
}
