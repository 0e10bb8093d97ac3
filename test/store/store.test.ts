import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Store } from '../../src/store/store.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { explainPrepared } from './query-plan.ts';
import {
  insertDeliveries,
  insertEvent,
  insertRequest,
  insertWebhook,
  insertWorkspace,
  NOW,
  openStore,
} from './rows.ts';

describe('Store', () => {
  it('a store that is opened again has its rows and continues the sequence', async () => {
    const path = join(createTemporaryFolder(), 'sandbox.db');
    const first = openStore(path);
    const { deliveries } = insertDeliveries(first, [NOW, NOW + 1]);
    first.close();
    const again = openStore(path);
    expect(again.deliveries.countPending()).toBe(2);
    expect(again.lastSeq).toBe(deliveries.at(-1));
    expect(again.nextSeq()).toBe((deliveries.at(-1) ?? 0) + 1);
  });

  it('a store that is opened again continues after the sequences of cancellations', async () => {
    const path = join(createTemporaryFolder(), 'sandbox.db');
    const first = openStore(path);
    const { webhook } = insertDeliveries(first, [NOW, NOW, NOW]);
    const before = first.lastSeq;
    expect(await first.write(() => first.cancelDeliveries(webhook, NOW))).toBe(3);
    first.close();
    expect(openStore(path).lastSeq).toBe(before + 3);
  });

  it('writeNow leaves no rows if the operation throws', () => {
    const store = openStore();
    expect(() =>
      store.writeNow(() => {
        insertWorkspace(store);
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(store.workspaces.findOldest()).toBeUndefined();
  });

  it('subscribers are notified of every commit until they unsubscribe', async () => {
    const store = openStore();
    let heard = 0;
    const stop = store.subscribe(() => heard++);
    await store.write(() => store.settings.set('a', '1'));
    await Promise.all([store.write(() => store.settings.set('a', '2')), store.write(() => {})]);
    stop();
    await store.write(() => {});
    expect(heard).toBe(2);
  });

  it('close commits waiting writes and can be called twice', async () => {
    const path = join(createTemporaryFolder(), 'sandbox.db');
    const store = new Store({ path });
    const commit = store.write(() => store.settings.set('waited', 'yes'));
    void store.writeLater(() => store.settings.set('later', 'yes'));
    store.close();
    store.close();
    await commit;
    const again = openStore(path);
    expect([again.settings.find('waited'), again.settings.find('later')]).toEqual(['yes', 'yes']);
  });

  it('a store has a unique id that it keeps', () => {
    const path = join(createTemporaryFolder(), 'sandbox.db');
    const store = new Store({ path });
    store.close();
    expect(openStore(path).id).toBe(store.id);
    expect(openStore().id).not.toBe(store.id);
  });
});

describe('the replacement of all rows', () => {
  it('replaceState without a source deletes the rows of every table, and keeps the settings, the id and the sequence', () => {
    const store = openStore();
    insertDeliveries(store, [NOW]);
    insertRequest(store);
    store.settings.set('a', '1');
    const [{ id, lastSeq }, subscriber] = [store, vi.fn()];
    store.subscribe(subscriber);
    store.replaceState(null, () => {});
    expect(store.workspaces.listAll()).toEqual([]);
    expect(store.deliveries.countAll()).toBe(0);
    expect(store.webhooks.list(null, { limit: 9, beforeSeq: null }).rows).toEqual([]);
    expect(store.events.list({}, { limit: 9, beforeSeq: null }).rows).toEqual([]);
    expect(store.apiRequests.findBySeq(lastSeq)).toBeUndefined();
    expect([store.id, store.settings.find('a'), store.lastSeq]).toEqual([id, '1', lastSeq + 1]);
    expect(store.stateReplacedSeq).toBe(lastSeq + 1);
    expect(subscriber).toHaveBeenCalledTimes(1);
  });

  it('startFresh makes a store like a new one, and changes nothing in the file if the following writes fail', () => {
    const path = join(createTemporaryFolder(), 'sandbox.db');
    const first = openStore(path);
    insertDeliveries(first, [NOW]);
    first.settings.set('a', '1');
    const { id, lastSeq } = first;
    const failure = new Error('refused');
    const fail = () => {
      throw failure;
    };
    expect(() => first.startFresh(fail)).toThrow(failure);
    first.close();
    const second = openStore(path);
    const readState = () => [second.deliveries.countAll(), second.settings.find('a'), second.lastSeq];
    expect([...readState(), second.id]).toEqual([1, '1', lastSeq, id]);
    expect(second.startFresh(readState)).toEqual([0, undefined, 0]);
    expect(second.id).not.toBe(id);
    second.close();
    expect(openStore(path).id).toBe(second.id);
  });

  it('a reset that fails changes nothing, and no cache contains what it wrote', () => {
    const store = openStore();
    const { workspace, webhook } = insertDeliveries(store, [NOW]);
    const subscribed = () => store.webhooks.listSubscribed(workspace, 'order.shipped').map(({ seq }) => seq);
    store.setBaseline();
    const later = store.writeNow(() => insertWebhook(store, workspace));
    const subscriber = vi.fn();
    store.subscribe(subscriber);
    const reset = () =>
      store.replaceState('baseline', () => {
        insertWebhook(store, workspace);
        expect(subscribed()).toHaveLength(2);
        throw new Error('no');
      });
    expect(reset).toThrow('no');
    expect(subscribed()).toEqual([webhook, later]);
    expect(subscriber).not.toHaveBeenCalled();
  });

  it('rows can be replaced without their references, after all waiting writes, and references are checked again afterwards', async () => {
    const store = openStore();
    const waiting = store.write(() => store.settings.set('waiting', 'yes'));
    const breakReference = () => insertEvent(store, 404);
    store.startFresh(() => {
      breakReference();
      store.replaceState(null, () => {});
    });
    await waiting;
    expect(() => store.writeNow(breakReference)).toThrow('FOREIGN KEY');
  });

  it('a failure of the disk becomes storage_unavailable, and any other error stays', () => {
    const store = openStore();
    const fail = (code: string) => () => {
      throw Object.assign(new Error('details'), { code });
    };
    expect(() => store.replaceState(null, fail('SQLITE_FULL'))).toThrow(
      expect.objectContaining({ code: 'storage_unavailable' }),
    );
    expect(() => store.replaceState(null, fail('EOTHER'))).toThrow(
      expect.objectContaining({ code: 'EOTHER' }),
    );
  });

  it.skipIf(process.platform === 'win32')('no rows are replaced after the file was removed', () => {
    const path = join(createTemporaryFolder(), 'sandbox.db');
    const store = openStore(path);
    renameSync(path, `${path}.moved`);
    const operation = vi.fn();
    expect(() => store.replaceState(null, operation)).toThrow(
      expect.objectContaining({ code: 'storage_unavailable' }),
    );
    expect(operation).not.toHaveBeenCalled();
    renameSync(`${path}.moved`, path);
  });
});

describe('EventTable.list', () => {
  const page = { limit: 1, beforeSeq: null };
  it.each<[string, (store: Store) => unknown, string]>([
    [
      'a page of all types',
      ({ events }) => events.list({ workspace_id: 'ws_1' }, page),
      'e USING COVERING INDEX events_by_workspace',
    ],
    [
      'a page of a type',
      ({ events }) => events.list({ workspace_id: 'ws_1', type: 'a.b' }, page),
      'e USING COVERING INDEX events_by_type',
    ],
    [
      'the newest ID',
      ({ workspaces }) => workspaces.listNewestIds(1),
      'events USING INDEX events_by_workspace',
    ],
  ])(
    'the store searches an index, without sorting and without OFFSET, for %s of events [§4.1, list.order]',
    async (_, read, search) => {
      const store = openStore();
      const [plan] = await explainPrepared(/FROM events\b.*ORDER BY (e\.)?seq DESC/s, () => read(store));
      expect(plan?.steps).toContainEqual(
        expect.stringMatching(new RegExp(`^SEARCH ${search} \\(workspace_seq=\\?`)),
      );
      if (search.startsWith('e ')) expect(plan?.steps.join()).toContain('AND rowid<?)');
      expect(plan?.steps.filter((step) => /SCAN|TEMP B-TREE/.test(step))).toEqual([]);
      expect(plan?.sql).not.toMatch(/OFFSET|count\(/i);
    },
  );
});
