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
  readonly dueTimes = new DueTimeHeap();
  /** Queues that had a due delivery when they were added. */
  readonly readyQueues = new Set<EndpointQueue>();
  /** Queues of disabled endpoints, by the time at which their first paused delivery expires. */
  readonly expiryTimes = new DueTimeHeap();
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

interface HeapEntry {
  readonly queue: EndpointQueue;
  readonly dueAt: number;
}

/** Finds the queue with the earliest due time, in a binary heap. */
export class DueTimeHeap {
  /** Smallest first. Entries that differ from `#times` are outdated and are skipped. */
  #heap: HeapEntry[] = [];
  readonly #times = new Map<EndpointQueue, number>();

  /** @param dueAt schedule time; `Infinity` for never */
  set(queue: EndpointQueue, dueAt: number): void {
    if (this.#times.get(queue) === dueAt) return;
    this.delete(queue);
    if (dueAt === Number.POSITIVE_INFINITY) return;
    this.#times.set(queue, dueAt);
    this.#push({ queue, dueAt });
  }

  delete(queue: EndpointQueue): void {
    this.#times.delete(queue);
    // When most entries are outdated. The constant avoids rebuilding a small heap again and again.
    if (this.#heap.length > 2 * this.#times.size + 64) this.#rebuild();
  }

  /** The earliest due time; `Infinity` without one. */
  get earliest(): number {
    while (true) {
      const [first] = this.#heap;
      if (first === undefined) return Number.POSITIVE_INFINITY;
      if (this.#times.get(first.queue) === first.dueAt) return first.dueAt;
      this.#pop();
    }
  }

  /** Removes and returns the earliest queue if it is due at `now`. */
  popDue(now: number): EndpointQueue | undefined {
    if (this.earliest > now) return undefined;
    const entry = this.#pop();
    if (entry !== undefined) this.#times.delete(entry.queue);
    return entry?.queue;
  }

  #rebuild(): void {
    this.#heap = [];
    for (const [queue, dueAt] of this.#times) this.#push({ queue, dueAt });
  }

  #push(entry: HeapEntry): void {
    const heap = this.#heap;
    let index = heap.length;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex];
      if (parent === undefined || !isBefore(entry, parent)) break;
      heap[index] = parent;
      index = parentIndex;
    }
    heap[index] = entry;
  }

  #pop(): HeapEntry | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let index = 0;
    while (true) {
      const left = 2 * index + 1;
      const childIndex = isBefore(heap[left + 1], heap[left]) ? left + 1 : left;
      const child = heap[childIndex];
      if (child === undefined || !isBefore(child, last)) break;
      heap[index] = child;
      index = childIndex;
    }
    heap[index] = last;
    return first;
  }
}

/** On a tie the older endpoint comes first. */
function isBefore(a: HeapEntry | undefined, b: HeapEntry | undefined): boolean {
  if (a === undefined || b === undefined) return a !== undefined;
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.queue.webhookSeq < b.queue.webhookSeq);
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
