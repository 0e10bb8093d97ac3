import { createStoreClosedError } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import { monotonic, SLICE_MS, yieldToEventLoop } from '../timers.ts';

/** Maps items, and lets requests and deliveries continue in between. @throws SvcError if the store is closed meanwhile. */
export async function mapInSlices<Item, Result>(
  store: Store,
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let endsAt = monotonic() + SLICE_MS;
  for (const item of items) {
    results.push(map(item));
    if (monotonic() < endsAt) continue;
    await yieldToEventLoop();
    if (!store.isOpen) throw createStoreClosedError();
    endsAt = monotonic() + SLICE_MS;
  }
  return results;
}
