/**
 * Slows down the creation of events to the speed at which their deliveries are sent. Overload then leads to slower responses, and not
 * to a growing backlog in which every delivery arrives late.
 */
import { monotonic, setImmediate, setTimeout } from '../timers.ts';

/**
 * Number of due deliveries of an endpoint that wait for their turn. At this number, the creation of further events for the endpoint
 * waits. The backlog exceeds the limit by at most one event for each client connection, unless the endpoint is stalled or an event has
 * waited for {@link MAX_WAIT_MS}. The deliveries of a full backlog are enough work to share commits.
 */
export const BACKLOG_LIMIT = 128;
/**
 * An endpoint delays no events while none of its attempts starts for this real time: its receiver hangs or is slow, and the emulator is
 * not busy.
 */
const STALLED_AFTER_MS = 50;
/** Maximum real time that the creation of an event waits. Below the time limits of most clients. */
const MAX_WAIT_MS = 1_000;

/** An endpoint that has reached the limit. */
interface FullBacklog {
  /** Whether an attempt has started since the last check. */
  hasStarted: boolean;
  isStalled: boolean;
}

interface Waiter {
  readonly webhookSeq: number;
  /** Monotonic time. */
  readonly since: number;
  readonly resolve: () => void;
}

export class DeliveryBacklog {
  /** By the sequence of the endpoint. */
  readonly #full = new Map<number, FullBacklog>();
  /** Longest wait first. */
  #waiters: Waiter[] = [];
  #isCheckScheduled = false;

  /** Resolves when an event for the endpoints can be created; null if that is now. */
  waitForCapacity(listWebhookSeqs: () => readonly number[]): Promise<void> | null {
    if (this.#full.size + this.#waiters.length === 0) return null;
    const webhookSeq = listWebhookSeqs().find((seq) => this.#delaysEvents(seq));
    if (webhookSeq === undefined) return null;
    return new Promise((resolve) => {
      this.#waiters.push({ webhookSeq, since: monotonic(), resolve });
      this.#scheduleCheck();
    });
  }

  /** @param length number of due deliveries of the endpoint that wait for their turn */
  setLength(webhookSeq: number, length: number): void {
    if (length < BACKLOG_LIMIT) this.#full.delete(webhookSeq);
    else if (!this.#full.has(webhookSeq)) this.#full.set(webhookSeq, { hasStarted: true, isStalled: false });
  }

  /** An attempt has started: one event that waits can be created. */
  onStart(webhookSeq: number): void {
    const backlog = this.#full.get(webhookSeq);
    if (backlog !== undefined) Object.assign(backlog, { hasStarted: true, isStalled: false });
    if (this.#waiters.length === 0) return;
    const index = this.#waiters.findIndex((waiter) => waiter.webhookSeq === webhookSeq);
    if (index !== -1) this.#waiters.splice(index, 1)[0]?.resolve();
  }

  /** Forgets the endpoints, because all rows were replaced. */
  clear(): void {
    this.#full.clear();
    this.#releaseWaiters();
  }

  /** An event does not overtake another one that waits for the same endpoint. */
  #delaysEvents(webhookSeq: number): boolean {
    return this.#isBusy(webhookSeq) || this.#waiters.some((waiter) => waiter.webhookSeq === webhookSeq);
  }

  #isBusy(webhookSeq: number): boolean {
    return this.#full.get(webhookSeq)?.isStalled === false;
  }

  #scheduleCheck(): void {
    if (this.#isCheckScheduled) return;
    this.#isCheckScheduled = true;
    // After the responses that arrived while the process was blocked have started attempts.
    setTimeout(() => setImmediate(() => this.#check()), STALLED_AFTER_MS);
  }

  #check(): void {
    this.#isCheckScheduled = false;
    for (const backlog of this.#full.values()) {
      backlog.isStalled = !backlog.hasStarted;
      backlog.hasStarted = false;
    }
    this.#releaseWaiters();
    if (this.#waiters.length > 0) this.#scheduleCheck();
  }

  /** Releases those that no attempt will release, and those that have waited for too long. */
  #releaseWaiters(): void {
    const latest = monotonic() - MAX_WAIT_MS;
    const canStay = ({ webhookSeq, since }: Waiter) => this.#isBusy(webhookSeq) && since > latest;
    const released = this.#waiters.filter((waiter) => !canStay(waiter));
    this.#waiters = this.#waiters.filter(canStay);
    for (const { resolve } of released) resolve();
  }
}
