/** When each lane of a workspace has something due next: a binary heap, so that no step looks at all of them. */
import type { EndpointQueue } from './endpoint-queue.ts';

interface Entry {
  readonly endpointQueue: EndpointQueue;
  readonly dueAt: number;
}

export class DueTimeHeap {
  /** The smallest first. Entries that differ from `#times` are outdated and are passed over. */
  #heap: Entry[] = [];
  readonly #times = new Map<EndpointQueue, number>();

  /** @param nextDueAt schedule time; infinite for never. */
  set(endpointQueue: EndpointQueue, dueAt: number): void {
    if (this.#times.get(endpointQueue) === dueAt) return;
    this.delete(endpointQueue);
    if (dueAt === Number.POSITIVE_INFINITY) return;
    this.#times.set(endpointQueue, dueAt);
    this.#push({ endpointQueue, dueAt });
  }

  delete(endpointQueue: EndpointQueue): void {
    this.#times.delete(endpointQueue);
    if (this.#heap.length > 2 * this.#times.size + 64) this.#rebuild();
  }

  /** The earliest time of all; infinite where there is none. */
  get earliest(): number {
    for (;;) {
      const [first] = this.#heap;
      if (first === undefined) return Number.POSITIVE_INFINITY;
      if (this.#times.get(first.endpointQueue) === first.dueAt) return first.dueAt;
      this.#pop();
    }
  }

  /** Removes and returns the first lane that is due at `now`. */
  popDue(now: number): EndpointQueue | undefined {
    if (this.earliest > now) return undefined;
    const entry = this.#pop();
    if (entry !== undefined) this.#times.delete(entry.endpointQueue);
    return entry?.endpointQueue;
  }

  #rebuild(): void {
    this.#heap = [];
    for (const [lane, dueAt] of this.#times) this.#push({ endpointQueue: lane, dueAt });
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(entry, parent)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const child = isBefore(heap[left + 1], heap[left]) ? left + 1 : left;
      const entry = heap[child];
      if (entry === undefined || !isBefore(entry, last)) break;
      heap[at] = entry;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

/** At the same time, the older endpoint is the first. */
function isBefore(a: Entry | undefined, b: Entry | undefined): boolean {
  if (a === undefined || b === undefined) return a !== undefined;
  return (
    a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.endpointQueue.webhookSeq < b.endpointQueue.webhookSeq)
  );
}
