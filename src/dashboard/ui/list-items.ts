/** An array, or a list that is only partly loaded. */
export interface ListItems<Item> {
  readonly length: number;
  /** Undefined for an item that is not loaded. */
  at(index: number): Item | undefined;
}

export interface KeyedListItems<Item> {
  readonly items: ListItems<Item>;
  readonly getKey: (item: Item) => string;
}

/** How far from the expected index an item is searched. */
const MAX_DISTANCE = 500;

/** The index of an item at or near `around`; null when it is not found. */
export function findNearby<Item>(
  { items, getKey }: KeyedListItems<Item>,
  key: string,
  around: number,
): number | null {
  for (let distance = 0; distance < MAX_DISTANCE; distance++) {
    for (const index of [around + distance, around - distance]) {
      const item = index < 0 ? undefined : items.at(index);
      if (item !== undefined && getKey(item) === key) return index;
    }
  }
  return null;
}
