/** A list that is both looked through, page by page, and alive: what happens in the emulator changes it in place. */
import type { Page } from '../contract/resources.ts';
import { toErrorMessage } from './error-message.ts';
import { type HasId, PAGE_SIZE, PagedList } from './paged-list.ts';

export interface PageRequest {
  readonly limit: number;
  readonly starting_after?: string;
}

interface FeedOptions<Item> {
  readonly fetchPage: (page: PageRequest) => Promise<Page<Item>>;
  /** Called after every change of what the feed shows. */
  readonly onChange: () => void;
}

/** An item as it stands now, and whether the list has a place for it; null where nobody knows. */
export interface ItemUpdate<Item> {
  readonly item: Item;
  readonly matches: boolean | null;
}

/** How many waiting ones are told apart. */
export const MAX_NEW_COUNT = 9_999;
/** The end is near when fewer items than this are left. */
const PREFETCH_DISTANCE = PAGE_SIZE / 2;

export class Feed<Item extends HasId> {
  readonly list = new PagedList<Item>();
  /** Why the last page did not come, for people; null when it did. */
  error: string | null = null;
  /** Whether the first page has come. */
  isLoaded = false;
  readonly #options: FeedOptions<Item>;
  readonly newCount = new Set<string>();
  #isHeld = false;
  /** Whether the list has kept, for being held, what no longer belongs to it. */
  #isStale = false;
  #looked = { first: 0, last: 0 };
  /** Of the page that is being asked for; answers to an earlier question are not taken. */
  #question = 0;
  #isAsking = false;
  /** Asks once more what was asked last; null unless that failed. */
  #failed: (() => void) | null = null;
  /** What happened since that question: the answer may be older. */
  #heard: ItemUpdate<Item>[] = [];

  constructor(options: FeedOptions<Item>) {
    this.#options = options;
  }

  /** Whether a page is on its way. */
  get isLoading(): boolean {
    return this.#isAsking;
  }

  /** How many would be in the list were it not held; {@link MAX_NEW_COUNT} stands for as many or more. */
  get waiting(): number {
    return this.newCount.size;
  }

  /** Asks for the first page, and for all that was shown anew. */
  load(): void {
    const ask = () => this.#options.fetchPage({ limit: PAGE_SIZE });
    void this.#ask(ask, (page) => {
      this.list.reset(page);
      this.isLoaded = true;
      this.newCount.clear();
      this.#isStale = false;
    });
  }

  /** Answers that are still to come are not taken. */
  cancel(): void {
    this.#question++;
  }

  /** What happened. */
  applyUpdates(news: readonly ItemUpdate<Item>[]): void {
    if (this.#isAsking) this.#heard.push(...news);
    for (const each of news) this.#take(each);
    if (!this.isLoaded) return;
    this.list.unloadOutside(this.#looked.first, this.#looked.last);
    this.#options.onChange();
  }

  /** While it is held no item comes or goes; those that are there still change. Let go, it is asked for anew. */
  setPaused(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (!isHeld && (this.#isStale || this.newCount.size > 0)) this.load();
  }

  /**
   * Tells which items are in view: gives up those far from there, and asks for those that are missing. After a failure
   * it waits for {@link retry}.
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

  /** Asks again for what did not come. */
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

  /** What is behind one cursor, down to another; a page of it may be short. */
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
