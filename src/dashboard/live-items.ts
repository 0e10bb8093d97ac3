/** The newest items of a list, changed by the live stream, with pages of older ones. IDs sort by creation time. */
import type { Page } from '../contract/resources.ts';
import { toErrorMessage } from './toasts.ts';

/** Number of items in a page. Without older pages, a list keeps this many. */
export const PAGE_SIZE = 200;
/** The largest page of the control plane. */
export const MAX_PAGE_SIZE = 1_000;

export interface HasId {
  readonly id: string;
}

export interface PageRequest {
  readonly limit: number;
  readonly starting_after?: string;
}

export interface ItemUpdate<Item> {
  readonly item: Item;
  /** Whether the item matches the filter of the list; null when that is unknown. */
  readonly matches: boolean | null;
}

interface Options<Item> {
  readonly fetchPage: (page: PageRequest) => Promise<Page<Item>>;
  readonly onChange: () => void;
}

export class LiveItems<Item extends HasId> {
  /** Newest first. */
  items: readonly Item[] = [];
  hasOlder = false;
  /** Whether the first page has arrived. */
  isLoaded = false;
  isLoading = false;
  /** The error message of the last page request; null when it succeeded. */
  error: string | null = null;
  readonly #options: Options<Item>;
  /** While the list is held, changes that would move rows wait here: a new item, or null for one that no longer matches. */
  readonly #waiting = new Map<string, Item | null>();
  #isHeld = false;
  /** Repeats the last page request. */
  #retry: () => void = () => {};
  /** Number of the latest page request. Responses to earlier ones are ignored. */
  #requestNumber = 0;
  /** Updates since the latest page request, because its response may be older. */
  #updatesWhileLoading: ItemUpdate<Item>[] = [];
  /** How many items the list keeps. */
  #limit = PAGE_SIZE;

  constructor(options: Options<Item>) {
    this.#options = options;
  }

  /** How many new items wait while the list is held. */
  get newCount(): number {
    return [...this.#waiting.values()].filter((item) => item !== null).length;
  }

  /** Replaces the list with its newest items: `count`, at least one page and at most what one request can load. */
  load(count = PAGE_SIZE): Promise<void> {
    const limit = Math.min(MAX_PAGE_SIZE, Math.max(PAGE_SIZE, count));
    return this.#request({ limit }, ({ data }) => {
      this.#waiting.clear();
      this.#limit = limit;
      this.items = data;
    });
  }

  loadOlder(): Promise<void> {
    const oldest = this.items.at(-1)?.id;
    return this.#request({ limit: PAGE_SIZE, ...(oldest && { starting_after: oldest }) }, ({ data }) => {
      this.items = [...this.items, ...data];
      this.#limit = Math.max(PAGE_SIZE, this.items.length);
    });
  }

  retry(): void {
    if (this.error !== null) this.#retry();
  }

  /** Ignores the response to the page request in progress. */
  cancel(): void {
    this.#requestNumber++;
  }

  /** While the list is held, its items change, but none is added or removed. */
  setHeld(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (!isHeld) this.showWaiting();
  }

  showWaiting(): void {
    if (this.#waiting.size === 0) return;
    this.#merge(this.#waiting);
    this.#waiting.clear();
    this.#options.onChange();
  }

  applyUpdates(updates: readonly ItemUpdate<Item>[]): void {
    if (this.isLoading) this.#updatesWhileLoading.push(...updates);
    const shown = new Set(this.items.map(({ id }) => id));
    const changes = new Map<string, Item | null>();
    const isListed = (id: string) => {
      const change = this.#waiting.has(id) ? this.#waiting.get(id) : changes.get(id);
      return change === undefined ? shown.has(id) : change !== null;
    };
    for (const { item, matches } of updates) {
      const { id } = item;
      const isKept = matches ?? isListed(id);
      if (!this.#isHeld) {
        changes.set(id, isKept ? item : null);
      } else if (shown.has(id)) {
        // An item that no longer matches stays, with its new values, until the list is released.
        changes.set(id, item);
        if (isKept) this.#waiting.delete(id);
        else this.#waiting.set(id, null);
      } else if (isKept && this.#isCovered(id)) {
        this.#waiting.set(id, item);
      } else {
        this.#waiting.delete(id);
      }
    }
    this.#merge(changes);
    if (this.items.length === 0 && this.hasOlder && !this.isLoading) void this.load();
    this.#options.onChange();
  }

  /** Whether the list would show an item with this ID, and not on an older page. */
  #isCovered(id: string): boolean {
    return !this.hasOlder || id >= (this.items.at(-1)?.id ?? '');
  }

  #merge(changes: ReadonlyMap<string, Item | null>): void {
    const added = [...changes.values()].filter((item) => item !== null && this.#isCovered(item.id)) as Item[];
    const kept = this.items.filter(({ id }) => !changes.has(id));
    const items = [...added, ...kept].sort((a, b) => (a.id < b.id ? 1 : -1));
    this.hasOlder ||= items.length > this.#limit;
    this.items = items.slice(0, this.#limit);
  }

  async #request(page: PageRequest, apply: (page: Page<Item>) => void): Promise<void> {
    const number = ++this.#requestNumber;
    this.#retry = () => void this.#request(page, apply);
    this.isLoading = true;
    this.#updatesWhileLoading = [];
    this.#options.onChange();
    try {
      const response = await this.#options.fetchPage(page);
      if (number !== this.#requestNumber) return;
      apply(response);
      this.hasOlder = response.has_more;
      this.isLoaded = true;
      this.error = null;
    } catch (error) {
      if (number !== this.#requestNumber) return;
      this.error = toErrorMessage(error);
    }
    this.isLoading = false;
    this.applyUpdates(this.#updatesWhileLoading);
  }
}
