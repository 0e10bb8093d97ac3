import { createHash } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tables } from '../../src/store/schema.ts';
import { Store } from '../../src/store/store.ts';
import { Database } from '../support/sqlite.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import {
  insertAttempt,
  insertDeliveries,
  insertDelivery,
  insertEvent,
  insertRequest,
  insertWebhook,
  insertWorkspace,
  NOW,
  openStore,
} from './rows.ts';

/** All rows of a closed database, except settings. */
function dump(path: string): Record<string, unknown[]> {
  const db = new Database(path, { readonly: true });
  const names = Object.keys(tables).filter((name) => name !== 'settings');
  const rows = names.map((table) => [table, db.prepare(`SELECT * FROM ${table}`).all()]);
  expect(db.pragma('foreign_key_check')).toEqual([]);
  db.close();
  return Object.fromEntries(rows);
}

/** Stores a response, together with the event that makes it valid. */
function saveKey(store: Store, workspace: number, name: string): void {
  insertEvent(store, workspace);
  store.idempotency.save({
    scope_hash: createHash('sha256').update(name).digest(),
    seq: store.lastSeq,
    workspace_seq: workspace,
    body_hash: Buffer.alloc(32),
    status: 201,
    body: `"${store.lastSeq}"`,
    expires_at: NOW,
  });
}

/** A database with something of everything in it, closed. */
function createDatabase(): string {
  const path = join(createTemporaryFolder(), 'a.db');
  const store = new Store({ path });
  const { workspace, webhook, event, deliveries } = insertDeliveries(store, [NOW, NOW + 1, NOW + 2]);
  store.writeNow(() => {
    for (const delivery of deliveries) insertAttempt(store, delivery, 1);
    settle(store, deliveries[0] ?? 0);
    insertRequest(store, NOW - 1000);
    insertRequest(store);
    saveKey(store, workspace, 'old');
    insertWebhook(store, workspace);
    insertDelivery(store, { workspace, webhook, event });
  });
  store.close();
  return path;
}

function settle(store: Store, seq: number): void {
  store.deliveries.update({
    seq,
    status: 'succeeded',
    due_at: null,
    settled_at: NOW,
    settled_reason: null,
    first_attempt_at: NOW,
    on_schedule: 0,
    scheduled_attempts: 1,
    attempt_count: 1,
    replays_waiting: 0,
  });
}

const workspaceOf = (store: Store) => Number(store.workspaces.listAll()[0]?.seq);
const webhookOf = (store: Store) =>
  Number(store.webhooks.list(null, { limit: 1, beforeSeq: null }).rows[0]?.seq);

/** Changes to a store. `seq` is the sequence of the changed row. */
const changes: Readonly<Record<string, (store: Store, seq: number) => void>> = {
  workspace: (store) => void insertWorkspace(store),
  webhook: (store) => void insertWebhook(store, workspaceOf(store)),
  event: (store) => void insertEvent(store, workspaceOf(store)),
  request: (store) => void insertRequest(store),
  // Of an event of its own: those of before may have been removed.
  delivery: (store) => {
    const workspace = workspaceOf(store);
    insertDelivery(store, { workspace, webhook: webhookOf(store), event: insertEvent(store, workspace) });
  },
  settlement: (store, seq) => settle(store, seq),
  replay: (store, seq) => store.deliveries.requestReplay(seq, NOW),
  cancellation: (store) => void store.cancelDeliveries(webhookOf(store), NOW),
  clock: (store) =>
    store.workspaces.setClock(workspaceOf(store), { at: NOW + 5, wallAt: NOW, speed: 60, frozen: true }),
  'idempotency key': (store, seq) => saveKey(store, workspaceOf(store), seq % 2 ? 'old' : `new ${seq}`),
  sweep: (store) => store.idempotency.deleteExpired(1, NOW),
  removal: (store) => {
    for (const remove of store.retention.planRemoval({ since: NOW + 1, maxSize: null })) remove();
  },
};

const histories = fc.array(
  fc.record({ deed: fc.constantFrom(...Object.keys(changes)), seq: fc.integer({ min: 1, max: 20 }) }),
  { maxLength: 25 },
);

function play(store: Store, history: readonly { deed: string; seq: number }[]): void {
  for (const { deed, seq } of history) store.writeNow(() => changes[deed]?.(store, seq));
}

describe('Store.replaceState', () => {
  it('a reset to the baseline restores every row, whatever changed since', () => {
    const original = createDatabase();
    const before = dump(original);
    fc.assert(
      fc.property(histories, histories, (first, second) => {
        const path = join(createTemporaryFolder(), 'b.db');
        copyFileSync(original, path);
        const store = new Store({ path });
        store.setBaseline();
        for (const history of [first, second]) {
          play(store, history);
          store.replaceState('baseline', () => {});
        }
        store.close();
        expect(dump(path)).toEqual(before);
      }),
      { numRuns: 60 },
    );
  });

  it('a reset to the baseline works the same after a restart and after a snapshot was loaded', () => {
    const original = createDatabase();
    fc.assert(
      fc.property(histories, histories, (first, second) => {
        const folder = createTemporaryFolder();
        const path = join(folder, 'b.db');
        copyFileSync(original, path);
        const firstStore = new Store({ path });
        firstStore.setBaseline();
        play(firstStore, first);
        firstStore.writeNow(() => firstStore.settings.set('environment', 'sandbox'));
        firstStore.close();
        const store = new Store({ path });
        const snapshot = join(folder, 'state.svc');
        const dumpSnapshot = () => {
          store.saveSnapshot(snapshot, NOW, () => {});
          return dump(snapshot);
        };
        const expectReset = () => {
          store.setBaseline();
          const before = dumpSnapshot();
          play(store, second);
          store.replaceState('baseline', () => {});
          expect(dumpSnapshot()).toEqual(before);
        };
        expectReset();
        play(store, first);
        store.loadSnapshot(snapshot, 'sandbox', () => {});
        expectReset();
        store.close();
      }),
      { numRuns: 5 },
    );
  });

  it('a store that is opened again remembers when its state was replaced and uses no sequence twice', () => {
    const path = createDatabase();
    const store = new Store({ path });
    store.setBaseline();
    store.writeNow(() => void insertWorkspace(store));
    store.replaceState('baseline', () => {});
    const { stateReplacedSeq, lastSeq } = store;
    store.close();
    const again = new Store({ path });
    onTestFinished(() => again.close());
    expect([again.stateReplacedSeq, again.lastSeq]).toEqual([stateReplacedSeq, lastSeq]);
  });

  it('a reset to the baseline commits waiting writes first and resolves their promises', async () => {
    const store = openStore();
    store.setBaseline();
    const waiting = store.write(() => insertWorkspace(store));
    store.replaceState('baseline', () => {});
    expect(await waiting).toBe(1);
    expect(store.workspaces.listAll()).toEqual([]);
  });
});
