/** A paginated list that applies live updates in place. */
import type { Page } from '../contract/resources.ts';
import { toErrorMessage } from './error-message.ts';
import { type HasId, PAGE_SIZE, PagedList } from './paged-list.ts';

export interface PageRequest {
  readonly limit: number;
  readonly starting_after?: string;
}

interface FeedOptions<Item> {
  readonly fetchPage: (page: PageRequest) => Promise<Page<Item>>;
  /** Called after every visible change. */
  readonly onChange: () => void;
}

/** The current state of an item and whether it matches the filter of the list; null when that is unknown. */
export interface ItemUpdate<Item> {
  readonly item: Item;
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
  readonly newCount = new Set<string>();
  #isHeld = false;
  /** Whether the paused list still shows an item that no longer matches. */
  #isStale = false;
  #looked = { first: 0, last: 0 };
  /** Number of the latest page request. Responses to earlier requests are ignored. */
  #question = 0;
  #isAsking = false;
  /** Repeats the last page request; null unless it failed. */
  #failed: (() => void) | null = null;
  /** Updates since the latest page request, because its response may be older. */
  #heard: ItemUpdate<Item>[] = [];

  constructor(options: FeedOptions<Item>) {
    this.#options = options;
  }

  get isLoading(): boolean {
    return this.#isAsking;
  }

  /** How many new items wait while the list is paused; {@link MAX_NEW_COUNT} means as many or more. */
  get waiting(): number {
    return this.newCount.size;
  }

  /** Loads the first page and drops everything else. */
  load(): void {
    const ask = () => this.#options.fetchPage({ limit: PAGE_SIZE });
    void this.#ask(ask, (page) => {
      this.list.reset(page);
      this.isLoaded = true;
      this.newCount.clear();
      this.#isStale = false;
    });
  }

  /** Ignores responses that are still pending. */
  cancel(): void {
    this.#question++;
  }

  /** Applies updates from the live stream. */
  applyUpdates(news: readonly ItemUpdate<Item>[]): void {
    if (this.#isAsking) this.#heard.push(...news);
    for (const each of news) this.#take(each);
    if (!this.isLoaded) return;
    this.list.unloadOutside(this.#looked.first, this.#looked.last);
    this.#options.onChange();
  }

  /**
   * While paused, no item is added or removed, but existing items are still updated. The list reloads when it resumes
   * after changes.
   */
  setPaused(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (!isHeld && (this.#isStale || this.newCount.size > 0)) this.load();
  }

  /**
   * Tells the feed which items are visible. Unloads distant items and loads missing ones. After a failure it waits for
   * {@link retry}.
   */
  setVisibleRange(first: number, last: number): void {
    this.#looked = { first, last };
    if (!this.isLoaded || this.#isAsking || this.#failed !== null) return;
    const { list } = this;
    list.unloadOutside(first, last);
    const missing = list.findUnloaded(first, last);
    if (missing !== null) {
      const { after } = missing;
      void this.#ask(
        () => this.#askBetween(missing),
        (items) => list.reload(after, items),
      );
    } else if (list.nextCursor !== null && last > list.length - PREFETCH_DISTANCE) {
      const after = list.nextCursor;
      const ask = () => this.#options.fetchPage({ limit: PAGE_SIZE, starting_after: after });
      void this.#ask(ask, (page) => list.append(after, page));
    }
  }

  /** Repeats the page request that failed. */
  retry(): void {
    this.#failed?.();
  }

  #take({ item, matches }: ItemUpdate<Item>): void {
    const isHere = this.list.has(item.id);
    if (!this.#isHeld || isHere) this.list.upsert(item, this.#isHeld || matches);
    if (!this.#isHeld) return;
    if (isHere && matches === false) this.#isStale = true;
    if (isHere === false && matches && this.waiting < MAX_NEW_COUNT) this.newCount.add(item.id);
    if (matches === false) this.newCount.delete(item.id);
  }

  async #ask<Answer>(ask: () => Promise<Answer>, take: (answer: Answer) => void): Promise<void> {
    const question = ++this.#question;
    this.#isAsking = true;
    this.#heard = [];
    this.#options.onChange();
    try {
      const answer = await ask();
      if (question !== this.#question) return;
      this.#failed = null;
      this.error = null;
      take(answer);
      for (const itemUpdate of this.#heard) this.#take(itemUpdate);
    } catch (error) {
      if (question !== this.#question) return;
      this.#failed = () => void this.#ask(ask, take);
      this.error = toErrorMessage(error);
    }
    this.#isAsking = false;
    this.#heard = [];
    if (this.error === null) this.setVisibleRange(this.#looked.first, this.#looked.last);
    this.#options.onChange();
  }

  /** The items after one cursor down to `end`. A page may be short, so several requests can be necessary. */
  async #askBetween({
    after,
    end,
  }: {
    readonly after: string | null;
    readonly end: string;
  }): Promise<Item[]> {
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
