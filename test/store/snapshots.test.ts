import { spawnSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tables } from '../../src/store/schema.ts';
import type { Store } from '../../src/store/store.ts';
import { Database } from '../support/sqlite.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import {
  insertApiKey,
  insertAttempt,
  insertDeliveries,
  insertRequest,
  insertWorkspace,
  NOW,
  openStore,
} from './rows.ts';

const save = (store: Store, path: string) => store.saveSnapshot(path, NOW, () => {});

/** A snapshot with a row in each table, changed by `sql`. */
function craft(sql: string): string {
  const path = join(createTemporaryFolder(), 'state.svc');
  const store = openStore();
  const { deliveries, workspace } = insertDeliveries(store, [NOW, NOW]);
  store.writeNow(() => {
    for (const seq of deliveries) insertAttempt(store, seq, 1);
    insertRequest(store, NOW, insertApiKey(store));
    const rule = JSON.stringify({ on: 'delivery', kind: 'duplicate', probability: 1 });
    store.faults.insert({
      seq: store.nextSeq(),
      id: 'flt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
      rule,
      applied_count: 0,
      created_at: NOW,
    });
    const hash = Buffer.alloc(32);
    const response = { status: 201, body: '{}', expires_at: NOW };
    store.idempotency.save({
      ...{ scope_hash: hash, body_hash: hash, workspace_seq: workspace, seq: store.lastSeq },
      ...response,
    });
    store.settings.set('environment', 'sandbox');
  });
  save(store, path);
  const db = new Database(path);
  db.unsafeMode();
  db.pragma('foreign_keys = OFF');
  db.pragma('writable_schema = ON');
  db.pragma('ignore_check_constraints = ON');
  db.exec(sql);
  db.close();
  return path;
}

function refusalOf(path: string) {
  const store = openStore();
  const { deliveries } = insertDeliveries(store, [NOW]);
  try {
    store.loadSnapshot(path, 'sandbox', () => {});
    return null;
  } catch (error) {
    // Nothing was copied, and the next snapshot can be attached.
    expect(store.deliveries.countAll()).toBe(deliveries.length);
    store.loadSnapshot(craft('SELECT 1'), 'sandbox', () => {});
    return error as Error;
  }
}

describe('a crafted snapshot', () => {
  it.each([
    ['a view', 'CREATE VIEW extra AS SELECT * FROM events'],
    ['a trigger', 'CREATE TRIGGER extra AFTER INSERT ON events BEGIN DELETE FROM workspaces; END'],
    ['an index more', 'CREATE INDEX extra ON events (created_at)'],
    [
      'a view in the place of a table',
      'DROP TABLE faults; CREATE VIEW faults AS SELECT 1 AS seq, 2 AS id, 3 AS rule, 0 AS applied_count, 0 AS created_at',
    ],
  ])('a snapshot is refused with 422 if its schema has %s [snapshots.schema]', (_, sql) => {
    const error = refusalOf(craft(sql));
    expect(error).toMatchObject({ code: 'validation_failed', status: 422 });
    expect(error?.message).toMatch(/its schema differs from that of a snapshot|is damaged/);
  });

  it.each([
    ['headers that are not JSON', "UPDATE webhooks SET headers = 'none'"],
    ['events that are not JSON', "UPDATE webhooks SET events = '['"],
    ['an unknown status', "UPDATE deliveries SET status = 'lost'"],
    ['a clock that is past the year 9999', 'UPDATE workspaces SET clock_at = 253402300800000'],
    ['rows that refer to nothing', 'DELETE FROM workspaces'],
    ['no time of saving', "DELETE FROM settings WHERE key = 'snapshot_saved_at'"],
  ])('a snapshot is refused with 422 if it has %s [snapshots.rows]', (_, sql) => {
    expect(refusalOf(craft(sql))).toMatchObject({
      ...{ code: 'validation_failed', status: 422 },
      message: expect.stringMatching(/ is damaged: /),
    });
  });

  it('an unchanged snapshot with a row in each table is loaded', () => {
    const path = craft('SELECT 1');
    const db = new Database(path, { readonly: true });
    const counts = Object.keys(tables).map((table) =>
      db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
    );
    db.close();
    expect(Math.min(...counts.map(Number))).toBeGreaterThan(0);
    expect(refusalOf(path)).toBeNull();
  });
});

describe.skipIf(process.platform === 'win32')('a path that is not a regular snapshot file', () => {
  it('saving to a FIFO, a device, a folder or a file that svc did not write is refused, even if it is empty [snapshots.save, snapshots.replace]', async () => {
    const folder = createTemporaryFolder();
    spawnSync('mkfifo', [join(folder, 'fifo')]);
    symlinkSync('/dev/null', join(folder, 'link'));
    mkdirSync(join(folder, 'folder'));
    writeFileSync(join(folder, 'empty'), '');
    for (const name of ['fifo', 'link', 'folder', 'empty']) {
      const path = join(folder, name);
      expect(() => save(openStore(), path)).toThrow(
        expect.objectContaining({
          code: 'usage',
          message: `${path} already exists and is not a snapshot.`,
        }),
      );
    }
    expect(lstatSync(join(folder, 'fifo')).isFIFO()).toBe(true);
    expect(readlinkSync(join(folder, 'link'))).toBe('/dev/null');
    expect(readFileSync(join(folder, 'empty'))).toHaveLength(0);
  });

  it('saving to a symbolic link replaces the snapshot that it points to and keeps the link', async () => {
    const folder = createTemporaryFolder();
    const [path, link] = [join(folder, 'state.svc'), join(folder, 'link')];
    save(openStore(), path);
    symlinkSync(path, link);
    linkSync(path, join(folder, 'earlier-link'));
    save(openStore(), link);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(lstatSync(path).ino).not.toBe(lstatSync(join(folder, 'earlier-link')).ino);
  });
});

describe('Store.saveSnapshot', () => {
  it.skipIf(process.platform === 'win32')(
    'a snapshot is one private file with the state that was written last',
    () => {
      const store = openStore(join(createTemporaryFolder(), 'sandbox.db'));
      const folder = createTemporaryFolder();
      const path = join(folder, 'state.svc');
      void store.write(() => store.settings.set('waiting', 'yes'));
      const size = store.saveSnapshot(path, NOW, () => store.settings.set('at the end', 'yes'));
      expect(readdirSync(folder)).toEqual(['state.svc']);
      expect(lstatSync(path)).toMatchObject({ mode: 0o100600, size });
      const db = new Database(path);
      const find = db.prepare('SELECT value FROM settings WHERE key = ?').pluck();
      expect(['waiting', 'at the end', 'snapshot_saved_at'].map((key) => find.get(key))).toEqual([
        'yes',
        'yes',
        String(NOW),
      ]);
      expect(db.pragma('journal_mode', { simple: true })).toBe('delete');
      db.close();
    },
  );

  it('a save that fails keeps the earlier snapshot and leaves no temporary file', () => {
    const store = openStore();
    const folder = createTemporaryFolder();
    const path = join(folder, 'state.svc');
    save(store, path);
    const before = readFileSync(path);
    const fail = () => {
      throw new Error('no more');
    };
    expect(() => store.saveSnapshot(path, NOW, fail)).toThrow('no more');
    expect(() => save(store, join(folder, 'missing', 'state.svc'))).toThrow(
      expect.objectContaining({
        code: 'usage',
        hint: { text: 'Check the path, its permissions and the free disk space.' },
      }),
    );
    expect([readdirSync(folder), readFileSync(path).equals(before)]).toEqual([['state.svc'], true]);
  });

  it('the temporary file of a killed save is replaced by the next save [snapshots.temporary]', () => {
    const folder = createTemporaryFolder();
    const path = join(folder, 'state.svc');
    writeFileSync(`${path}.svc-unfinished`, 'half');
    save(openStore(), path);
    expect(readdirSync(folder)).toEqual(['state.svc']);
  });
});

describe('Store.loadSnapshot', () => {
  function saveOf(count: number): string {
    const path = join(createTemporaryFolder(), 'state.svc');
    const store = openStore();
    insertDeliveries(
      store,
      Array.from({ length: count }, () => NOW),
    );
    store.settings.set('environment', 'sandbox');
    save(store, path);
    return path;
  }

  it('new rows get sequences that no row had before, and the id of the store stays', () => {
    const store = openStore();
    insertDeliveries(store, [NOW, NOW]);
    const { id, lastSeq } = store;
    for (const count of [1, 9]) {
      store.loadSnapshot(saveOf(count), 'sandbox', () => {});
      expect(store.deliveries.countAll()).toBe(count);
      expect(store.stateReplacedSeq).toBeGreaterThan(lastSeq);
      expect(store.lastSeq).toBe(store.stateReplacedSeq);
    }
    expect(store.id).toBe(id);
  });

  it('the following writes get the time of saving, and a closed store loads nothing', () => {
    const store = openStore();
    const path = saveOf(1);
    const savedTimes: number[] = [];
    store.loadSnapshot(path, 'sandbox', (savedAt) => savedTimes.push(savedAt));
    expect(savedTimes).toEqual([NOW]);
    store.close();
    for (const use of [() => store.loadSnapshot(path, 'sandbox', () => {}), () => save(store, path)])
      expect(use).toThrow(expect.objectContaining({ code: 'storage_unavailable' }));
  });

  it('a load that fails at its end changes neither rows nor baseline [snapshots.atomic]', () => {
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
    store.replaceState('baseline', () => {});
    expect(store.deliveries.countPending()).toBe(deliveries.length);
    expect(store.workspaces.listAll()).toHaveLength(1);
    store.loadSnapshot(saveOf(5), 'sandbox', () => {});
    expect(store.deliveries.countPending()).toBe(5);
  });
});
