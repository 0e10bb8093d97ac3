import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IdAndSecretGenerator } from '../../src/sandbox/id-and-secret-generator.ts';
import { WorkspaceRegistry } from '../../src/sandbox/workspace-registry.ts';
import { Store } from '../../src/store/store.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { insertDeliveries, insertEvent, insertWorkspace, NOW, openStore } from './rows.ts';

const DAYS_3 = 3 * 86_400_000;

describe('the store', () => {
  it('keeps what was written, and counts on from it, over a restart', async () => {
    const path = join(createTemporaryFolder(), 'sandbox.db');
    const first = openStore(path);
    const { deliveries } = insertDeliveries(first, [NOW, NOW + 1]);
    first.close();
    const again = openStore(path);
    expect(again.deliveries.countPending()).toBe(2);
    expect(again.lastSeq).toBe(deliveries.at(-1));
    expect(again.nextSeq()).toBe((deliveries.at(-1) ?? 0) + 1);
  });

  it('counts on after cancellations, which are numbered too', async () => {
    const path = join(createTemporaryFolder(), 'sandbox.db');
    const first = openStore(path);
    const { webhook } = insertDeliveries(first, [NOW, NOW, NOW]);
    const before = first.lastSeq;
    expect(await first.write(() => first.cancelDeliveries(webhook, NOW))).toBe(3);
    first.close();
    expect(openStore(path).lastSeq).toBe(before + 3);
  });

  it('leaves nothing of a boot that failed', () => {
    const store = openStore();
    expect(() =>
      store.writeNow(() => {
        insertWorkspace(store);
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(store.workspaces.findOldest()).toBeUndefined();
  });

  it('tells its followers of every commit, until they have heard enough', async () => {
    const store = openStore();
    let heard = 0;
    const stop = store.subscribe(() => heard++);
    await store.write(() => store.settings.set('a', '1'));
    await Promise.all([store.write(() => store.settings.set('a', '2')), store.write(() => {})]);
    stop();
    await store.write(() => {});
    expect(heard).toBe(2);
  });

  it('writes what still waits when it is closed, and may be closed twice', async () => {
    const path = join(createTemporaryFolder(), 'sandbox.db');
    const store = new Store({ path });
    const answer = store.write(() => store.settings.set('waited', 'yes'));
    store.writeSoon(() => store.settings.set('soon', 'yes'));
    store.close();
    store.close();
    await answer;
    const again = openStore(path);
    expect([again.settings.find('waited'), again.settings.find('soon')]).toEqual(['yes', 'yes']);
  });

  it('has a name that it keeps, and that no other store has', () => {
    const path = join(createTemporaryFolder(), 'sandbox.db');
    const store = new Store({ path });
    store.close();
    expect(openStore(path).id).toBe(store.id);
    expect(openStore().id).not.toBe(store.id);
  });
});

describe('order by id is order of creation', () => {
  it('across restarts, and where the wall clock was set back [id.format]', () => {
    const path = join(createTemporaryFolder(), 'sandbox.db');
    const ids: string[] = [];
    for (const wallNow of [NOW, NOW - DAYS_3, NOW + 5, NOW + 5]) {
      const store = new Store({ path });
      const wall = { now: () => wallNow, monotonic: () => 0 };
      store.writeNow(() => {
        if (store.workspaces.findOldest() === undefined) insertWorkspace(store);
        const live = new WorkspaceRegistry(store, wall, new IdAndSecretGenerator(1, true)).default;
        for (let i = 0; i < 3; i++) {
          const id = live.ids.next('event', live.clock.now());
          ids.push(id);
          insertEvent(store, live.seq, { id });
        }
      });
      expect(store.events.list(1, null, { limit: 100, beforeSeq: null }).rows.map(({ id }) => id)).toEqual(
        ids.toReversed(),
      );
      store.close();
    }
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(12);
  });
});

describe('pages of events', () => {
  it('neither skip nor repeat while events are being created [§4.1, list.order]', () => {
    const store = openStore();
    const workspace = store.writeNow(() => insertWorkspace(store));
    const add = (count: number) =>
      store.writeNow(() => Array.from({ length: count }, () => insertEvent(store, workspace)));
    const before = add(25);
    const seen: number[] = [];
    for (let beforeSeq: number | null = null, more = true; more; add(3)) {
      const { rows, hasMore } = store.events.list(workspace, null, { limit: 7, beforeSeq });
      seen.push(...rows.map(({ seq }) => seq));
      beforeSeq = rows.at(-1)?.seq ?? null;
      more = hasMore;
    }
    expect(seen).toEqual(before.toReversed());
  });

  it('hold one workspace, and one type where it is named [list.filter]', () => {
    const store = openStore();
    const page = { limit: 10, beforeSeq: null };
    const [mine, other] = store.writeNow(() => [insertWorkspace(store), insertWorkspace(store)] as const);
    const [shipped, paid] = store.writeNow(() => {
      const ofMine = [insertEvent(store, mine), insertEvent(store, mine, { type: 'invoice.paid' })] as const;
      insertEvent(store, other);
      return ofMine;
    });
    const seqs = (type: string | null) => store.events.list(mine, type, page).rows.map(({ seq }) => seq);
    expect(seqs(null)).toEqual([paid, shipped]);
    expect(seqs('invoice.paid')).toEqual([paid]);
    expect(seqs('invoice.sent')).toEqual([]);
  });

  it.each([
    [
      'all types',
      'SELECT * FROM events WHERE workspace_seq = 1 AND seq < 9 ORDER BY seq DESC LIMIT 51',
      'events_by_workspace',
    ],
    [
      'one type',
      "SELECT * FROM events WHERE workspace_seq = 1 AND type = 'a.b' AND seq < 9 ORDER BY seq DESC LIMIT 51",
      'events_by_type',
    ],
  ])('cost the same however large the table is: %s', (_, sql, index) => {
    const plan = openStore().explain(sql);
    expect(plan).toEqual([expect.stringContaining(`SEARCH events USING INDEX ${index} (workspace_seq=?`)]);
    expect(plan.join()).toContain('rowid<?');
  });
});
