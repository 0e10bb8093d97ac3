/**
 * A list of the emulator, newest first, of which only the part around what is looked at is kept. Ids are in the order
 * of creation, so that the place of an item is known by its id.
 */
import type { Page } from '../contract/resources.ts';

/** Items that are asked for at a time. */
export const PAGE_SIZE = 100;
/** Items that are kept on either side of what is looked at. */
const KEPT_AROUND_VIEW = 1_000;

export interface HasId {
  readonly id: string;
}

/** A stretch of the list: what a page brought, and what has come into it since. */
interface Segment<Item> {
  /** The cursor behind which it begins; null at the top. */
  readonly cursor: string | null;
  /** Null while it is too far away to be kept. */
  items: Item[] | null;
  /** How many items it has, or had when it was given up. */
  size: number;
}

type LoadedSegment<Item> = Segment<Item> & { items: Item[] };

export class PagedList<Item extends HasId> {
  #parts: Segment<Item>[] = [];
  #length = 0;
  /** Where the list goes on behind what is known of it; null at its end. */
  nextCursor: string | null = null;

  get length(): number {
    return this.#length;
  }

  /** Undefined beyond the end, and for an item that has been given up. */
  at(index: number): Item | undefined {
    let start = 0;
    for (const { items, size } of this.#parts) {
      if (index < start + size) return items?.[index - start];
      start += size;
    }
    return undefined;
  }

  /** Begins anew with the first page. */
  reset(page: Page<Item>): void {
    this.#parts = [];
    this.#append(null, page);
  }

  /** Takes the page behind `next`. A page behind another cursor comes too late and is not taken. */
  append(after: string, page: Page<Item>): void {
    if (after === this.nextCursor) this.#append(after, page);
  }

  /**
   * Brings an item up to date, puts a new one into its place, or takes one away that no longer belongs here.
   * @param belongs null where nobody knows: it stays if it is here
   */
  upsert(item: Item, belongs: boolean | null): void {
    const part = this.#findKept(item.id);
    if (part === null) return;
    const place = findInsertIndex(part.items, item.id);
    const isKnown = part.items[place]?.id === item.id;
    part.items.splice(place, isKnown ? 1 : 0, ...((belongs ?? isKnown) ? [item] : []));
    part.size = part.items.length;
    this.#measure();
    if (part.size >= 2 * PAGE_SIZE) this.#split(part);
  }

  /** Whether the item is here; null where its place is not kept, and so nothing is known of it. */
  has(id: string): boolean | null {
    const items = this.#findKept(id)?.items;
    return items === undefined ? null : items[findInsertIndex(items, id)]?.id === id;
  }

  /** Gives up what is far from the items `first` to `last`: below them it is cut off, above them its place stays. */
  unloadOutside(first: number, last: number): void {
    let start = 0;
    for (const [index, part] of this.#parts.entries()) {
      if (start > last + KEPT_AROUND_VIEW) {
        this.nextCursor = part.cursor;
        this.#parts.length = index;
        break;
      }
      start += part.size;
      if (start < first - KEPT_AROUND_VIEW) part.items = null;
    }
    this.#measure();
  }

  /** The given-up part with the item `index` in it, or the one nearest to it up to `last`: where it begins and ends. */
  findUnloaded(index: number, last: number): { readonly after: string | null; readonly end: string } | null {
    let start = 0;
    for (const [place, { cursor, items, size }] of this.#parts.entries()) {
      const end = this.#parts[place + 1]?.cursor;
      if (items === null && start <= last && index < start + size && end != null)
        return { after: cursor, end };
      start += size;
    }
    return null;
  }

  /** Brings a given-up part back. */
  reload(after: string | null, items: readonly Item[]): void {
    const part = this.#parts.find((each) => each.cursor === after && each.items === null);
    if (part === undefined) return;
    part.items = [...items];
    part.size = items.length;
    this.#measure();
  }

  #findKept(id: string): LoadedSegment<Item> | null {
    const part = this.#parts.findLast(({ cursor }) => cursor === null || id < cursor);
    const isBeyond = part === this.#parts.at(-1) && this.nextCursor !== null && id < this.nextCursor;
    return part === undefined || isBeyond || !isLoaded(part) ? null : part;
  }

  #append(after: string | null, { data, has_more: hasMore, end_cursor: end }: Page<Item>): void {
    this.#parts.push({ cursor: after, items: [...data], size: data.length });
    this.nextCursor = hasMore ? end : null;
    this.#measure();
  }

  /** Only the top grows without end, by what comes anew. */
  #split(part: LoadedSegment<Item>): void {
    const upper = part.items.slice(0, PAGE_SIZE);
    const lower = part.items.slice(PAGE_SIZE);
    const after = upper.at(-1)?.id ?? null;
    this.#parts.splice(
      this.#parts.indexOf(part),
      1,
      { ...part, items: upper, size: upper.length },
      { cursor: after, items: lower, size: lower.length },
    );
  }

  #measure(): void {
    this.#length = this.#parts.reduce((sum, { size }) => sum + size, 0);
  }
}

function isLoaded<Item>(part: Segment<Item>): part is LoadedSegment<Item> {
  return part.items !== null;
}

/** Where an id is, or would be, in items that run from the newest to the oldest. */
function findInsertIndex(items: readonly HasId[], id: string): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle]?.id ?? '') > id) low = middle + 1;
    else high = middle;
  }
  return low;
}
