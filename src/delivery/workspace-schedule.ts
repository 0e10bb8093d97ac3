/** The queues of a workspace by the time of their next delivery, and a timer for the earliest of several times. */
import type { WallClock } from '../domain/clock.ts';
import type { LoadedWorkspace } from '../sandbox/workspace-registry.ts';
import { clearTimeout, setTimeout } from '../timers.ts';
import type { EndpointQueue } from './endpoint-queue.ts';

/** Maximum delay of a Node.js timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The states of a queue are listed in endpoint-queue.ts. */
export class WorkspaceSchedule {
  readonly clock: LoadedWorkspace['clock'];
  /** Queues that wait for their next due time. */
  readonly dueTimes = new DueTimes();
  /** Queues that had a due delivery when they were added. */
  readonly readyQueues = new Set<EndpointQueue>();
  /** Queues of disabled endpoints, by the time at which their first paused delivery expires. */
  readonly expiryTimes = new DueTimes();
  /** Number of attempts in flight or unrecorded. */
  unfinished = 0;
  /** Number of queues that are expiring paused deliveries. */
  expiringCount = 0;

  constructor(clock: LoadedWorkspace['clock']) {
    this.clock = clock;
  }

  /** Schedule time at which the next delivery is due: `Infinity` if none is scheduled, `-Infinity` if one is due now. */
  get nextDueAt(): number {
    let earliest = this.dueTimes.earliest;
    for (const queue of this.readyQueues) {
      earliest = Math.min(earliest, queue.nextDueAt);
      if (earliest === Number.NEGATIVE_INFINITY) break;
    }
    return earliest;
  }

  /** Whether nothing is due, in flight, unrecorded or being expired. */
  get isIdle(): boolean {
    if (this.unfinished + this.expiringCount > 0) return false;
    if (Math.min(this.dueTimes.earliest, this.expiryTimes.earliest) <= this.clock.now()) return false;
    for (const queue of this.readyQueues) if (queue.hasDue()) return false;
    return true;
  }
}

/** The times of queues. A workspace has at most 1,000 endpoints (gap `webhook.limit`), so all are visited to find the earliest. */
export class DueTimes {
  readonly #times = new Map<EndpointQueue, number>();

  /** @param dueAt schedule time; `Infinity` for never */
  set(queue: EndpointQueue, dueAt: number): void {
    if (dueAt === Number.POSITIVE_INFINITY) this.#times.delete(queue);
    else this.#times.set(queue, dueAt);
  }

  delete(queue: EndpointQueue): void {
    this.#times.delete(queue);
  }

  /** The earliest due time; `Infinity` without one. */
  get earliest(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const dueAt of this.#times.values()) earliest = Math.min(earliest, dueAt);
    return earliest;
  }

  /** Removes and returns the queues that are due at `now`, the earliest first. On a tie the older endpoint comes first. */
  takeDue(now: number): EndpointQueue[] {
    const due = [...this.#times]
      .filter(([, dueAt]) => dueAt <= now)
      .sort(([a, dueA], [b, dueB]) => dueA - dueB || a.webhookSeq - b.webhookSeq)
      .map(([queue]) => queue);
    for (const queue of due) this.#times.delete(queue);
    return due;
  }
}

/** Fires once, at the earliest of the times it was set to, or earlier if that is further away than a timer can wait. */
export class EarliestTimer {
  readonly #wall: Pick<WallClock, 'monotonic'>;
  readonly #onFire: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Monotonic time at which it must fire at the latest. */
  #firesAt = Number.POSITIVE_INFINITY;

  constructor(wall: Pick<WallClock, 'monotonic'>, onFire: () => void) {
    this.#wall = wall;
    this.#onFire = onFire;
  }

  /** Fires in `realMs`, unless it is already set to an earlier time. `Infinity` has no effect. */
  set(realMs: number): void {
    const firesAt = this.#wall.monotonic() + realMs;
    if (firesAt >= this.#firesAt) return;
    clearTimeout(this.#timer);
    this.#firesAt = firesAt;
    this.#timer = setTimeout(this.#onFire, Math.min(Math.ceil(realMs), MAX_TIMER_MS));
  }

  /** Resets the timer. The callback must call this first. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#firesAt = Number.POSITIVE_INFINITY;
  }
}
