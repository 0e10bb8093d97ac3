/** What an array has, and a list that is only partly here. */
export interface Items<Item> {
  readonly length: number;
  /** Undefined for an item that is not here yet. */
  at(index: number): Item | undefined;
}

export interface KeyedItems<Item> {
  readonly items: Items<Item>;
  readonly keyOf: (item: Item) => string;
}

/** How far away an item is looked for. */
const REACH = 500;

/** The index of an item that was at `around`, or not far from there; null where it is not. */
export function findNear<Item>(
  { items, keyOf }: KeyedItems<Item>,
  key: string,
  around: number,
): number | null {
  for (let distance = 0; distance < REACH; distance++) {
    for (const index of [around + distance, around - distance]) {
      const item = index < 0 ? undefined : items.at(index);
      if (item !== undefined && keyOf(item) === key) return index;
    }
  }
  return null;
}
