/** A paginated list that applies live updates in place. */
import type { Page } from '../contract/resources.ts';
import { type HasId, PAGE_SIZE, PagedList, type SegmentCursors } from './paged-list.ts';
import { toErrorMessage } from './toasts.ts';

export interface PageRequest {
  readonly limit: number;
  readonly starting_after?: string;
}

interface FeedOptions<Item> {
  readonly fetchPage: (page: PageRequest) => Promise<Page<Item>>;
  readonly onChange: () => void;
}

export interface ItemUpdate<Item> {
  readonly item: Item;
  /** Whether the item matches the filter of the list; null when that is unknown. */
  readonly matches: boolean | null;
}

/** New items are counted up to this number. */
export const MAX_NEW_COUNT = 9_999;
/** The next page is loaded when fewer items than this are left below the visible range. */
const PREFETCH_DISTANCE = PAGE_SIZE / 2;

export class Feed<Item extends HasId> {
  readonly list = new PagedList<Item>();
  /** The error message of the last page request; null when it succeeded. */
  error: string | null = null;
  /** Whether the first page has arrived. */
  isLoaded = false;
  readonly #options: FeedOptions<Item>;
  /** IDs of new items that are not shown while the list is paused. */
  readonly #newIds = new Set<string>();
  #isPaused = false;
  /** Whether the paused list still shows an item that no longer matches. */
  #isStale = false;
  #visibleRange = { first: 0, last: 0 };
  /** Number of the latest page request. Responses to earlier requests are ignored. */
  #requestNumber = 0;
  #isLoading = false;
  /** Repeats the last page request; null unless it failed. */
  #retry: (() => void) | null = null;
  /** Updates since the latest page request, because its response may be older. */
  #updatesWhileLoading: ItemUpdate<Item>[] = [];

  constructor(options: FeedOptions<Item>) {
    this.#options = options;
  }

  get isLoading(): boolean {
    return this.#isLoading;
  }

  /** How many new items wait while the list is paused; {@link MAX_NEW_COUNT} means as many or more. */
  get newCount(): number {
    return this.#newIds.size;
  }

  /** Replaces the list with its first `count` items. */
  load(count = PAGE_SIZE): void {
    const send = () => this.#options.fetchPage({ limit: count });
    void this.#request(send, (page) => {
      this.list.reset(page);
      this.isLoaded = true;
      this.#newIds.clear();
      this.#isStale = false;
    });
  }

  /** Ignores the response to the page request in progress. */
  cancel(): void {
    this.#requestNumber++;
  }

  applyUpdates(updates: readonly ItemUpdate<Item>[]): void {
    if (this.#isLoading) this.#updatesWhileLoading.push(...updates);
    for (const update of updates) this.#applyUpdate(update);
    if (!this.isLoaded) return;
    this.list.unloadOutside(this.#visibleRange.first, this.#visibleRange.last);
    this.#options.onChange();
  }

  /**
   * While paused, no item is added or removed, but existing items are still updated. The list reloads when it resumes
   * after changes.
   */
  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (!isPaused && (this.#isStale || this.#newIds.size > 0)) this.load();
  }

  /**
   * Tells the feed which items are visible. Unloads distant items and loads missing ones. After a failure it waits for
   * {@link retry}.
   */
  setVisibleRange(first: number, last: number): void {
    this.#visibleRange = { first, last };
    if (!this.isLoaded || this.#isLoading || this.#retry !== null) return;
    const { list } = this;
    list.unloadOutside(first, last);
    const segment = list.findUnloadedSegment(first, last);
    if (segment !== null) {
      void this.#request(
        () => this.#fetchBetween(segment),
        (items) => list.reload(segment.after, items),
      );
    } else if (list.nextCursor !== null && last > list.length - PREFETCH_DISTANCE) {
      const after = list.nextCursor;
      const send = () => this.#options.fetchPage({ limit: PAGE_SIZE, starting_after: after });
      void this.#request(send, (page) => list.append(after, page));
    }
  }

  retry(): void {
    this.#retry?.();
  }

  #applyUpdate(update: ItemUpdate<Item>): void {
    if (this.#isPaused) this.#applyWhilePaused(update);
    else this.list.upsert(update.item, update.matches);
  }

  #applyWhilePaused({ item, matches }: ItemUpdate<Item>): void {
    const isListed = this.list.has(item.id);
    // Also shows the new values of an item that no longer matches.
    if (isListed) this.list.upsert(item, true);
    if (isListed && matches === false) this.#isStale = true;
    // `isListed` is null when the position of the item is not loaded. Then it may be an old item.
    if (isListed === false && matches && this.newCount < MAX_NEW_COUNT) this.#newIds.add(item.id);
    if (matches === false) this.#newIds.delete(item.id);
  }

  async #request<Result>(send: () => Promise<Result>, apply: (result: Result) => void): Promise<void> {
    const requestNumber = ++this.#requestNumber;
    this.#isLoading = true;
    this.#updatesWhileLoading = [];
    this.#options.onChange();
    try {
      const result = await send();
      if (requestNumber !== this.#requestNumber) return;
      this.#retry = null;
      this.error = null;
      apply(result);
      for (const update of this.#updatesWhileLoading) this.#applyUpdate(update);
    } catch (error) {
      if (requestNumber !== this.#requestNumber) return;
      this.#retry = () => void this.#request(send, apply);
      this.error = toErrorMessage(error);
    }
    this.#isLoading = false;
    this.#updatesWhileLoading = [];
    if (this.error === null) this.setVisibleRange(this.#visibleRange.first, this.#visibleRange.last);
    this.#options.onChange();
  }

  /** The items after the cursor `after` down to `end`, which can be more than a page. */
  async #fetchBetween({ after, end }: SegmentCursors): Promise<Item[]> {
    const items: Item[] = [];
    let cursor = after;
    while (cursor === null || cursor > end) {
      const page: Page<Item> = await this.#options.fetchPage({
        limit: PAGE_SIZE,
        ...(cursor === null ? {} : { starting_after: cursor }),
      });
      items.push(...page.data.filter(({ id }) => id >= end));
      if (!page.has_more || page.end_cursor === null) break;
      cursor = page.end_cursor;
    }
    return items;
  }
}
