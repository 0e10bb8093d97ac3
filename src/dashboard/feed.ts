/** A list that is both looked through, page by page, and alive: what happens in the emulator changes it in place. */
import type { Page } from '../contract/resources.ts';
import { toMessage } from './message.ts';
import { type Identified, PAGE_SIZE, PagedList } from './paged-list.ts';

export interface PageInput {
  readonly limit: number;
  readonly starting_after?: string;
}

interface FeedOptions<Item> {
  readonly ask: (page: PageInput) => Promise<Page<Item>>;
  /** Called after every change of what the feed shows. */
  readonly onChange: () => void;
}

/** An item as it stands now, and whether the list has a place for it; null where nobody knows. */
export interface News<Item> {
  readonly item: Item;
  readonly belongs: boolean | null;
}

/** How many waiting ones are told apart. */
export const MOST_WAITING = 9_999;
/** The end is near when fewer items than this are left. */
const AHEAD = PAGE_SIZE / 2;

export class Feed<Item extends Identified> {
  readonly list = new PagedList<Item>();
  /** Why the last page did not come, for people; null when it did. */
  error: string | null = null;
  /** Whether the first page has come. */
  isOpen = false;
  readonly #options: FeedOptions<Item>;
  readonly #waiting = new Set<string>();
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
  #heard: News<Item>[] = [];

  constructor(options: FeedOptions<Item>) {
    this.#options = options;
  }

  /** Whether a page is on its way. */
  get isLoading(): boolean {
    return this.#isAsking;
  }

  /** How many would be in the list were it not held; {@link MOST_WAITING} stands for as many or more. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Asks for the first page, and for all that was shown anew. */
  open(): void {
    const ask = () => this.#options.ask({ limit: PAGE_SIZE });
    void this.#ask(ask, (page) => {
      this.list.begin(page);
      this.isOpen = true;
      this.#waiting.clear();
      this.#isStale = false;
    });
  }

  /** Answers that are still to come are not taken. */
  close(): void {
    this.#question++;
  }

  /** What happened. */
  hear(news: readonly News<Item>[]): void {
    if (this.#isAsking) this.#heard.push(...news);
    for (const each of news) this.#take(each);
    if (!this.isOpen) return;
    this.list.trim(this.#looked.first, this.#looked.last);
    this.#options.onChange();
  }

  /** While it is held no item comes or goes; those that are there still change. Let go, it is asked for anew. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (!isHeld && (this.#isStale || this.#waiting.size > 0)) this.open();
  }

  /**
   * Tells which items are in view: gives up those far from there, and asks for those that are missing. After a failure
   * it waits for {@link again}.
   */
  look(first: number, last: number): void {
    this.#looked = { first, last };
    if (!this.isOpen || this.#isAsking || this.#failed !== null) return;
    const { list } = this;
    list.trim(first, last);
    const missing = list.findMissing(first, last);
    if (missing !== null) {
      const { after } = missing;
      void this.#ask(
        () => this.#askBetween(missing),
        (items) => list.restore(after, items),
      );
    } else if (list.next !== null && last > list.length - AHEAD) {
      const after = list.next;
      const ask = () => this.#options.ask({ limit: PAGE_SIZE, starting_after: after });
      void this.#ask(ask, (page) => list.extend(after, page));
    }
  }

  /** Asks again for what did not come. */
  again(): void {
    this.#failed?.();
  }

  #take({ item, belongs }: News<Item>): void {
    const isHere = this.list.has(item.id);
    if (!this.#isHeld || isHere) this.list.put(item, this.#isHeld || belongs);
    if (!this.#isHeld) return;
    if (isHere && belongs === false) this.#isStale = true;
    if (isHere === false && belongs && this.waiting < MOST_WAITING) this.#waiting.add(item.id);
    if (belongs === false) this.#waiting.delete(item.id);
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
      for (const news of this.#heard) this.#take(news);
    } catch (error) {
      if (question !== this.#question) return;
      this.#failed = () => void this.#ask(ask, take);
      this.error = toMessage(error);
    }
    this.#isAsking = false;
    this.#heard = [];
    if (this.error === null) this.look(this.#looked.first, this.#looked.last);
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
      const page: Page<Item> = await this.#options.ask({
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
