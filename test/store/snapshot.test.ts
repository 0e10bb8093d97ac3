import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolder } from '../support/folder.ts';
import { insertDeliveries, insertWorkspace, NOW, openStore } from './rows.ts';

function saveOf(count: number): string {
  const path = join(createFolder(), 'state.svc');
  const store = openStore();
  insertDeliveries(
    store,
    Array.from({ length: count }, (_, index) => NOW + index),
  );
  store.writeNow(() => store.settings.set('environment', 'sandbox'));
  store.saveSnapshot(path, NOW, () => {});
  return path;
}

describe('a store that loads a snapshot', () => {
  it('gives what was loaded places of its own, in the same order', () => {
    const store = openStore();
    const { deliveries } = insertDeliveries(store, [NOW, NOW]);
    const { lastSeq } = store;
    store.loadSnapshot(saveOf(3), 'sandbox', () => {});
    const [workspace] = store.workspaces.listAll();
    const [webhook] = store.webhooks.listSeqs();
    const loaded = store.deliveries.listDue(Number(webhook), NOW + 9, 10);
    expect([Number(workspace?.seq), Number(webhook), ...loaded].every((seq) => seq > lastSeq)).toBe(true);
    expect(loaded).toEqual([...loaded].sort((a, b) => a - b));
    expect(loaded).toHaveLength(3);
    // The loading has a place too, after all that it brought.
    expect([store.renewedSeq, store.lastSeq]).toEqual(Array(2).fill((loaded.at(-1) ?? 0) + 1));
    for (const seq of deliveries) expect(store.deliveryView.findBySeq(seq)).toBeUndefined();
  });

  it('is told when it was saved, and is itself as it was: a store keeps its name', () => {
    const store = openStore();
    const { id } = store;
    let savedAt = 0;
    store.loadSnapshot(saveOf(1), 'sandbox', (at) => {
      savedAt = at;
    });
    expect(savedAt).toBe(NOW);
    expect(store.settings.find('store_id')).toBe(id);
  });

  it('is as it was where loading fails at the end, its baseline too', () => {
    const store = openStore();
    const { deliveries } = insertDeliveries(store, [NOW, NOW]);
    store.setBaseline();
    store.cancelDeliveries(2, NOW);
    const fail = () => {
      throw new Error('no');
    };
    expect(() => store.loadSnapshot(saveOf(5), 'sandbox', fail)).toThrow('no');
    expect(store.deliveries.countPending()).toBe(0);
    store.writeNow(() => insertWorkspace(store));
    store.returnToBaseline(() => {});
    expect(store.deliveries.countPending()).toBe(deliveries.length);
    expect(store.workspaces.listAll()).toHaveLength(1);
    store.loadSnapshot(saveOf(5), 'sandbox', () => {});
    expect(store.deliveries.countPending()).toBe(5);
  });
});
