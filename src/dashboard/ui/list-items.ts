/** What an array has, and a list that is only partly here. */
export interface ListItems<Item> {
  readonly length: number;
  /** Undefined for an item that is not here yet. */
  at(index: number): Item | undefined;
}

export interface KeyedListItems<Item> {
  readonly items: ListItems<Item>;
  readonly getKey: (item: Item) => string;
}

/** How far away an item is looked for. */
const MAX_DISTANCE = 500;

/** The index of an item that was at `around`, or not far from there; null where it is not. */
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
