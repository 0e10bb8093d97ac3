/**
 * The due deliveries of one endpoint. The rows in the database are the queue; memory holds its beginning, the buffer. The states:
 * - A delivery is scheduled while it has a due time, and due from that time on, both in schedule time.
 * - A delivery is held while this queue has it in memory: due and in the buffer, in flight, or unrecorded.
 * - A delivery is in flight from when its attempt starts until the response arrives, and unrecorded from then on until the attempt is
 *   committed. No other attempt of it starts meanwhile.
 * - A delivery is paused while its endpoint is disabled. A paused delivery is never taken.
 * - A queue is ready while its endpoint is enabled and a delivery is due and not in flight. The dispatcher checks it again at
 *   its turn, because the endpoint can be disabled meanwhile. A queue that is not ready waits for its next due time, if any.
 * - A queue is expiring while the dispatcher fails those paused deliveries whose retry window is over. It waits until no
 *   attempt is in flight or unrecorded first.
 */
import type { WallClock } from '../domain/clock.ts';
import type { LoadedWorkspace } from '../sandbox/workspace-registry.ts';
import type { Store } from '../store/store.ts';

/** Maximum number of due deliveries that a queue holds in memory. */
const BUFFER_SIZE = 256;

/** A delivery in the buffer. */
export interface DueDelivery {
  readonly seq: number;
  /** Monotonic time from which it only waits for its turn: it is due, and its endpoint is enabled. */
  readonly waitingSince: number;
}

interface EndpointQueueOptions {
  readonly webhookSeq: number;
  readonly workspace: LoadedWorkspace;
  readonly store: Store;
  /** Used to measure how long deliveries wait. */
  readonly wall: Pick<WallClock, 'monotonic'>;
  /** Schedule time of the earliest pending delivery in the store; null without one. */
  readonly nextDueAt: number | null;
  readonly isEnabled: boolean;
}

export class EndpointQueue {
  readonly webhookSeq: number;
  readonly workspace: LoadedWorkspace;
  inFlight = 0;
  /** Number of attempts whose response has arrived, and which are not committed. */
  unrecorded = 0;
  /** Whether a `reorder` fault has delayed a delivery, at most until another one has been sent. */
  hasReorderedDelivery = false;
  readonly #store: Store;
  readonly #wall: Pick<WallClock, 'monotonic'>;
  #isEnabled: boolean;
  /** Monotonic time at which the endpoint was last enabled. */
  #enabledAt = Number.NEGATIVE_INFINITY;
  /** The buffer: due and not in flight, earliest first. */
  #due: DueDelivery[] = [];
  /**
   * Monotonic time before which no delivery outside of the buffer counts as waiting. A clock that was frozen or moved meanwhile
   * does not tell when the delivery became due.
   */
  #waitingSince: number;
  /** Deliveries in `#due`, in flight or unrecorded, which {@link #refill} must not add again. */
  readonly #heldSeqs = new Set<number>();
  /** Held deliveries that got a new due time, which the attempt in flight may not know of. */
  readonly #rescheduledSeqs = new Set<number>();
  /** Schedule time of the earliest delivery in the store that is not held; `Infinity` without one. */
  #nextDueAt: number;

  constructor({ webhookSeq, workspace, store, wall, nextDueAt, isEnabled }: EndpointQueueOptions) {
    this.webhookSeq = webhookSeq;
    this.workspace = workspace;
    this.#isEnabled = isEnabled;
    this.#store = store;
    this.#wall = wall;
    this.#waitingSince = wall.monotonic();
    this.#nextDueAt = nextDueAt ?? Number.POSITIVE_INFINITY;
  }

  /** The deliveries of a disabled endpoint are paused. */
  get isEnabled(): boolean {
    return this.#isEnabled;
  }

  set isEnabled(isEnabled: boolean) {
    if (isEnabled && !this.#isEnabled) this.#enabledAt = this.#wall.monotonic();
    this.#isEnabled = isEnabled;
  }

  /** Empties the buffer and reads the store again, because pending deliveries were removed or a step has failed. */
  reload(): void {
    for (const { seq } of this.#due) {
      this.#heldSeqs.delete(seq);
      this.#rescheduledSeqs.delete(seq);
    }
    this.#due = [];
    this.#waitingSince = this.#wall.monotonic();
    this.#nextDueAt = this.#findNextDueAt(Number.NEGATIVE_INFINITY);
  }

  /** Adds a delivery that got a due time, in schedule time. */
  schedule(seq: number, dueAt: number): void {
    if (this.#heldSeqs.has(seq)) {
      this.#rescheduledSeqs.add(seq);
      return;
    }
    const now = this.workspace.clock.now();
    // Goes directly to the buffer, unless other due deliveries wait outside of it.
    if (dueAt <= now && this.#nextDueAt > now && this.#due.length < BUFFER_SIZE) {
      this.#hold(seq, this.#wall.monotonic());
      // A replay replaces the retry that was scheduled.
      if (this.#nextDueAt !== Number.POSITIVE_INFINITY) this.#nextDueAt = this.#findNextDueAt(now);
      return;
    }
    if (dueAt <= now && this.#nextDueAt > now) this.#waitingSince = this.#wall.monotonic();
    this.#nextDueAt = Math.min(this.#nextDueAt, dueAt);
  }

  /** Whether a delivery is due now and not in flight. */
  hasDue(): boolean {
    return this.isEnabled && (this.#due.length > 0 || this.#nextDueAt <= this.workspace.clock.now());
  }

  /**
   * Schedule time at which {@link hasDue} becomes true: `Infinity` if nothing is scheduled or the endpoint is disabled,
   * `-Infinity` if the buffer is not empty.
   */
  get nextDueAt(): number {
    if (!this.isEnabled) return Number.POSITIVE_INFINITY;
    return this.#due.length > 0 ? Number.NEGATIVE_INFINITY : this.#nextDueAt;
  }

  /** Takes the next due delivery, which is in flight until {@link endRequest}, and held until {@link release}. */
  takeDue(): DueDelivery | undefined {
    if (!this.isEnabled) return undefined;
    if (this.#due.length === 0) this.#refill();
    const delivery = this.#due.shift();
    if (delivery === undefined) return undefined;
    this.inFlight++;
    return { seq: delivery.seq, waitingSince: Math.max(delivery.waitingSince, this.#enabledAt) };
  }

  /** The response of an attempt has arrived, so the next delivery can be sent. */
  endRequest(): void {
    this.inFlight--;
    this.unrecorded++;
  }

  /** An attempt is recorded. The delivery is due again at `dueAt`, or not at all. */
  release(seq: number, dueAt: number | null): void {
    this.unrecorded--;
    this.#heldSeqs.delete(seq);
    const nextDueAt = this.#rescheduledSeqs.delete(seq)
      ? this.#store.deliveries.getProgress(seq).due_at
      : dueAt;
    if (nextDueAt !== null) this.schedule(seq, nextDueAt);
  }

  /**
   * Schedule time at which the first paused delivery expires: `Infinity` while the endpoint is enabled, and until its
   * last attempt is recorded.
   */
  findExpiryTime(retryWindowMs: number): number {
    if (this.isEnabled || this.inFlight + this.unrecorded > 0) return Number.POSITIVE_INFINITY;
    const startedAt = this.#store.deliveries.findOldestWindowStart(this.webhookSeq);
    return startedAt === null ? Number.POSITIVE_INFINITY : startedAt + retryWindowMs;
  }

  /**
   * Fails the paused deliveries whose retry window is over, except those with a waiting replay. Each is recorded as settled at
   * the end of its window. Call inside a store transaction.
   */
  expirePaused(retryWindowMs: number): void {
    if (this.isEnabled || this.inFlight + this.unrecorded > 0) return;
    const { deliveries } = this.#store;
    const startedBy = this.workspace.clock.now() - retryWindowMs;
    for (const { seq, window_started_at } of deliveries.listExpirable(this.webhookSeq, startedBy)) {
      deliveries.expire(seq, window_started_at + retryWindowMs, this.#store.nextSeq());
    }
  }

  #refill(): void {
    const now = this.workspace.clock.now();
    if (this.#nextDueAt > now) return;
    // The store also returns the held deliveries, which are due too.
    const limit = BUFFER_SIZE + this.#heldSeqs.size;
    const due = this.#store.deliveries.listDue(this.webhookSeq, now, limit);
    for (const { seq, due_at } of due) {
      if (!this.#heldSeqs.has(seq)) this.#hold(seq, this.#findWaitingSince(due_at));
    }
    this.#nextDueAt = due.length < limit ? this.#findNextDueAt(now) : now;
  }

  #findNextDueAt(afterDueAt: number): number {
    return this.#store.deliveries.findNextDueAt(this.webhookSeq, afterDueAt) ?? Number.POSITIVE_INFINITY;
  }

  #hold(seq: number, waitingSince: number): void {
    this.#heldSeqs.add(seq);
    this.#due.push({ seq, waitingSince });
  }

  /** Monotonic time from which a delivery that is due at the schedule time `dueAt` waits. */
  #findWaitingSince(dueAt: number): number {
    const dueSince = this.#wall.monotonic() - this.workspace.clock.realMsSince(dueAt);
    return Math.max(dueSince, this.#waitingSince);
  }
}
