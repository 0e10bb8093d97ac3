import { expect, it, vi } from 'vitest';
import { mapInSlices } from '../../src/control/map-in-slices.ts';
import type { Store } from '../../src/store/store.ts';

const time = vi.hoisted(() => ({ now: 0 }));
vi.mock('../../src/timers.ts', async (importActual) => ({
  ...(await importActual<typeof import('../../src/timers.ts')>()),
  monotonic: () => time.now,
}));

/** Maps items, each of which takes half of a slice. @returns what ran, in order */
async function mapItems(count: number, onOtherTask: () => void, store: { readonly isOpen: boolean }) {
  const ran: unknown[] = [];
  setImmediate(() => {
    ran.push('other task');
    onOtherTask();
  });
  const items = Array.from({ length: count }, (_, index) => index + 1);
  const mapped = mapInSlices(store as Store, items, (item) => {
    time.now += 4;
    ran.push(item);
    return item * 10;
  });
  return { ran, results: await mapped.catch(({ code }) => code) };
}

it('mapInSlices lets other tasks run after each slice of 8 ms, and keeps the order', async () => {
  const { ran, results } = await mapItems(4, () => {}, { isOpen: true });
  expect(ran).toEqual([1, 2, 'other task', 3, 4]);
  expect(results).toEqual([10, 20, 30, 40]);
});

it('mapInSlices fails if the store is closed between two slices', async () => {
  const store = { isOpen: true };
  const close = () => {
    store.isOpen = false;
  };
  const { ran, results } = await mapItems(4, close, store);
  expect(ran).toEqual([1, 2, 'other task']);
  expect(results).toBe('storage_unavailable');
});
