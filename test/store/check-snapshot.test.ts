import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { insertDeliveries, insertWorkspace, NOW, openStore } from './rows.ts';

async function saveOf(count: number): Promise<string> {
  const path = join(createTemporaryFolder(), 'state.svc');
  const store = openStore();
  insertDeliveries(
    store,
    Array.from({ length: count }, (_, index) => NOW + index),
  );
  store.writeNow(() => store.settings.set('environment', 'sandbox'));
  await store.saveSnapshot(
    path,
    () => NOW,
    () => {},
  );
  return path;
}

describe('Store.loadSnapshot', () => {
  it('loaded rows get new sequences in the same order', async () => {
    const store = openStore();
    const { deliveries } = insertDeliveries(store, [NOW, NOW]);
    const { lastSeq } = store;
    await store.loadSnapshot(await saveOf(3), 'sandbox', () => {});
    const [workspace] = store.workspaces.listAll();
    const [webhook] = store.webhooks.listEnabledSeqs(null);
    const loaded = store.deliveries.listDue(Number(webhook), NOW + 9, 10).map(({ seq }) => seq);
    expect([Number(workspace?.seq), Number(webhook), ...loaded].every((seq) => seq > lastSeq)).toBe(true);
    expect(loaded).toEqual([...loaded].sort((a, b) => a - b));
    expect(loaded).toHaveLength(3);
    // The loading has a place too, after all that it brought.
    expect([store.stateReplacedSeq, store.lastSeq]).toEqual(Array(2).fill((loaded.at(-1) ?? 0) + 1));
    for (const seq of deliveries) expect(store.deliveryQueries.findBySeq(seq)).toBeUndefined();
  });

  it('loadSnapshot passes the time of saving and keeps the id of the store', async () => {
    const store = openStore();
    const { id } = store;
    let savedAt = 0;
    await store.loadSnapshot(await saveOf(1), 'sandbox', (at) => {
      savedAt = at;
    });
    expect(savedAt).toBe(NOW);
    expect(store.settings.find('store_id')).toBe(id);
  });

  it('a load that fails at its end changes neither rows nor baseline [snapshots.atomic]', async () => {
    const store = openStore();
    const { deliveries } = insertDeliveries(store, [NOW, NOW]);
    store.setBaseline();
    store.cancelDeliveries(2, NOW);
    const fail = () => {
      throw new Error('no');
    };
    await expect(store.loadSnapshot(await saveOf(5), 'sandbox', fail)).rejects.toThrow('no');
    expect(store.deliveries.countPending()).toBe(0);
    store.writeNow(() => insertWorkspace(store));
    store.restoreBaseline(() => {});
    expect(store.deliveries.countPending()).toBe(deliveries.length);
    expect(store.workspaces.listAll()).toHaveLength(1);
    await store.loadSnapshot(await saveOf(5), 'sandbox', () => {});
    expect(store.deliveries.countPending()).toBe(5);
  });
});

describe('a store that loads its own snapshot', () => {
  it('saving and loading repeatedly uses the same number of sequences each time', async () => {
    const store = openStore();
    insertDeliveries(store, [NOW, NOW]);
    store.writeNow(() => store.settings.set('environment', 'sandbox'));
    const path = join(createTemporaryFolder(), 'state.svc');
    const places: number[] = [];
    for (let i = 0; i < 4; i++) {
      const before = store.lastSeq;
      await store.saveSnapshot(
        path,
        () => NOW,
        () => {},
      );
      await store.loadSnapshot(path, 'sandbox', () => {});
      places.push(store.lastSeq - before);
    }
    expect(new Set(places).size).toBe(1);
  });
});
