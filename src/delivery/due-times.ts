/** When each lane of a workspace has something due next: a binary heap, so that no step looks at all of them. */
import type { Lane } from './lane.ts';

interface Entry {
  readonly lane: Lane;
  readonly dueAt: number;
}

export class DueTimes {
  /** The smallest first. Entries that differ from `#times` are outdated and are passed over. */
  #heap: Entry[] = [];
  readonly #times = new Map<Lane, number>();

  /** @param dueAt schedule time; infinite for never. */
  set(lane: Lane, dueAt: number): void {
    if (this.#times.get(lane) === dueAt) return;
    this.delete(lane);
    if (dueAt === Number.POSITIVE_INFINITY) return;
    this.#times.set(lane, dueAt);
    this.#push({ lane, dueAt });
  }

  delete(lane: Lane): void {
    this.#times.delete(lane);
    if (this.#heap.length > 2 * this.#times.size + 64) this.#rebuild();
  }

  /** The earliest time of all; infinite where there is none. */
  get earliest(): number {
    for (;;) {
      const [first] = this.#heap;
      if (first === undefined) return Number.POSITIVE_INFINITY;
      if (this.#times.get(first.lane) === first.dueAt) return first.dueAt;
      this.#pop();
    }
  }

  /** Removes and returns the first lane that is due at `now`. */
  take(now: number): Lane | undefined {
    if (this.earliest > now) return undefined;
    const entry = this.#pop();
    if (entry !== undefined) this.#times.delete(entry.lane);
    return entry?.lane;
  }

  #rebuild(): void {
    this.#heap = [];
    for (const [lane, dueAt] of this.#times) this.#push({ lane, dueAt });
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
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.lane.webhookSeq < b.lane.webhookSeq);
}
