/**
 * A paginated list, newest first, that keeps only the items around the visible range in memory. IDs sort by creation
 * time, so the position of an item follows from its ID. Cursors are IDs too: the page after a cursor contains lower IDs.
 */
import type { Page } from '../contract/resources.ts';

export const PAGE_SIZE = 100;
/** The largest page of the control plane. */
export const MAX_PAGE_SIZE = 1_000;
/** Number of items that stay loaded above and below the visible range. */
const MAX_LOADED_DISTANCE = 1_000;

export interface HasId {
  readonly id: string;
}

/** A contiguous segment of the list: a page and the items that were added to it since. */
interface Segment<Item> {
  /** The cursor of the page request that returns its first item; null at the top. */
  readonly cursor: string | null;
  /** Null while the segment is unloaded. */
  items: Item[] | null;
  /** Number of items, also while it is unloaded. */
  size: number;
}

/** The cursors at the start of a segment (null at the top) and at its end. */
export interface SegmentCursors {
  readonly after: string | null;
  readonly end: string;
}

type LoadedSegment<Item> = Segment<Item> & { items: Item[] };

export class PagedList<Item extends HasId> {
  #segments: Segment<Item>[] = [];
  #length = 0;
  /** Cursor of the next page; null at the end of the list. */
  nextCursor: string | null = null;

  get length(): number {
    return this.#length;
  }

  /** Undefined beyond the end and for an unloaded item. */
  at(index: number): Item | undefined {
    let start = 0;
    for (const { items, size } of this.#segments) {
      if (index < start + size) return items?.[index - start];
      start += size;
    }
    return undefined;
  }

  reset(page: Page<Item>): void {
    this.#segments = [];
    this.#append(null, page);
  }

  /** Appends the page after `nextCursor`. A page for another cursor is outdated and ignored. */
  append(after: string, page: Page<Item>): void {
    if (after === this.nextCursor) this.#append(after, page);
  }

  /**
   * Updates or inserts an item, or removes one that no longer matches.
   * @param matches null when unknown: the item stays if it is in the list
   */
  upsert(item: Item, matches: boolean | null): void {
    const segment = this.#findLoadedSegment(item.id);
    if (segment === null) return;
    const index = findInsertIndex(segment.items, item.id);
    const isListed = segment.items[index]?.id === item.id;
    const isKept = matches ?? isListed;
    segment.items.splice(index, isListed ? 1 : 0, ...(isKept ? [item] : []));
    segment.size = segment.items.length;
    this.#updateLength();
    if (segment.size >= 2 * PAGE_SIZE) this.#split(segment);
  }

  /** Whether the item is in the list; null when its position is not loaded. */
  has(id: string): boolean | null {
    const items = this.#findLoadedSegment(id)?.items;
    return items === undefined ? null : items[findInsertIndex(items, id)]?.id === id;
  }

  /** Unloads items far from the range `first` to `last`. Items below are cut off; items above keep their positions. */
  unloadOutside(first: number, last: number): void {
    let start = 0;
    for (const [position, segment] of this.#segments.entries()) {
      if (start > last + MAX_LOADED_DISTANCE) {
        this.nextCursor = segment.cursor;
        this.#segments.length = position;
        break;
      }
      start += segment.size;
      if (start < first - MAX_LOADED_DISTANCE) segment.items = null;
    }
    this.#updateLength();
  }

  /** The first unloaded segment with an item from `first` to `last`. */
  findUnloadedSegment(first: number, last: number): SegmentCursors | null {
    let start = 0;
    for (const [position, { cursor, items, size }] of this.#segments.entries()) {
      const end = this.#segments[position + 1]?.cursor;
      if (items === null && start <= last && first < start + size && end != null)
        return { after: cursor, end };
      start += size;
    }
    return null;
  }

  /** Sets the items of the unloaded segment after a cursor. Ignored when it has been loaded or removed meanwhile. */
  reload(after: string | null, items: readonly Item[]): void {
    const segment = this.#segments.find(({ cursor, items }) => cursor === after && items === null);
    if (segment === undefined) return;
    segment.items = [...items];
    segment.size = items.length;
    this.#updateLength();
  }

  /** The segment that an ID belongs to; null when it is unloaded or the ID is on a later page. */
  #findLoadedSegment(id: string): LoadedSegment<Item> | null {
    const segment = this.#segments.findLast(({ cursor }) => cursor === null || id < cursor);
    const isOnLaterPage =
      segment === this.#segments.at(-1) && this.nextCursor !== null && id < this.nextCursor;
    return segment === undefined || isOnLaterPage || !isLoaded(segment) ? null : segment;
  }

  #append(after: string | null, { data, has_more: hasMore, end_cursor: end }: Page<Item>): void {
    this.#segments.push({ cursor: after, items: [...data], size: data.length });
    this.nextCursor = hasMore ? end : null;
    this.#updateLength();
  }

  /** Splits a segment that has grown, mostly the top one, so that parts of it can be unloaded. */
  #split(segment: LoadedSegment<Item>): void {
    const upperItems = segment.items.slice(0, PAGE_SIZE);
    const lowerItems = segment.items.slice(PAGE_SIZE);
    const after = upperItems.at(-1)?.id ?? null;
    this.#segments.splice(
      this.#segments.indexOf(segment),
      1,
      { ...segment, items: upperItems, size: upperItems.length },
      { cursor: after, items: lowerItems, size: lowerItems.length },
    );
  }

  #updateLength(): void {
    this.#length = this.#segments.reduce((sum, { size }) => sum + size, 0);
  }
}

function isLoaded<Item>(segment: Segment<Item>): segment is LoadedSegment<Item> {
  return segment.items !== null;
}

/** The index of an ID, or where it would be inserted. Binary search: the items are sorted from the newest to the oldest. */
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
