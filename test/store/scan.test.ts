import { describe, expect, it, vi } from 'vitest';
import type { DeliveryFilter } from '../../src/store/delivery-queries.ts';
import { insertDeliveries, NOW, openStore } from './rows.ts';

// Each look at the time finds that it has run out: a slice is one row.
vi.mock('../../src/timers.ts', async (load) => {
  let now = 0;
  return { ...(await load<object>()), monotonic: () => (now += 1_000) };
});

const any: DeliveryFilter = {
  workspaceSeq: null,
  status: null,
  eventId: null,
  type: null,
  webhookId: null,
  since: null,
  until: null,
  text: null,
};

describe('Scan.findPage', () => {
  it('a scan yields after a few milliseconds and continues at the same row', async () => {
    const store = openStore();
    const { deliveries } = insertDeliveries(store, [NOW, NOW, NOW, NOW]);
    const { rows, hasMore } = await store.deliveryQueries.list(
      { ...any, text: 'shipped' },
      { limit: 3, beforeSeq: null },
    );
    expect([rows.map(({ seq }) => seq), hasMore]).toEqual([deliveries.toReversed().slice(0, 3), true]);
  });

  it('other writes run between the slices of a scan, and the page reflects them', async () => {
    const store = openStore();
    const { deliveries, webhook } = insertDeliveries(store, [NOW, NOW]);
    const page = { limit: 9, beforeSeq: null };
    const listing = store.deliveryQueries.list({ ...any, status: 'pending' }, page);
    store.writeNow(() => store.cancelDeliveries(webhook, NOW));
    const { rows } = await listing;
    expect(rows.map(({ seq }) => seq)).toEqual(deliveries.slice(1));
  });

  it('a scan rejects when the store is closed', async () => {
    const store = openStore();
    insertDeliveries(store, [NOW, NOW]);
    const listing = store.deliveryQueries.list({ ...any, text: 'nowhere' }, { limit: 9, beforeSeq: null });
    store.close();
    await expect(listing).rejects.toMatchObject({ code: 'storage_unavailable' });
  });
});
