import { spawnSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listStateTables } from '../../src/store/copy-rows.ts';
import { rowSchemas } from '../../src/store/row-schemas.ts';
import { Store } from '../../src/store/store.ts';
import { Database } from '../support/sqlite.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { insertApiKey, insertAttempt, insertDeliveries, insertRequest, NOW, openStore } from './rows.ts';

const save = (store: Store, path: string) =>
  store.saveSnapshot(
    path,
    () => NOW,
    () => {},
  );

/** A snapshot with a row in each table, changed by `sql`. */
async function craft(sql: string): Promise<string> {
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
  await save(store, path);
  const db = new Database(path);
  db.unsafeMode();
  db.pragma('foreign_keys = OFF');
  db.pragma('writable_schema = ON');
  db.exec(sql);
  db.close();
  return path;
}

async function refusalOf(path: string) {
  const store = openStore();
  const { deliveries } = insertDeliveries(store, [NOW]);
  const { lastSeq } = store;
  const error = await store
    .loadSnapshot(path, 'sandbox', () => {})
    .then(
      () => null,
      (thrown) => thrown,
    );
  // Nothing was copied.
  if (error !== null) {
    expect(store.lastSeq).toBe(lastSeq);
    expect(store.deliveryQueries.findBySeq(deliveries[0] ?? 0)).toBeDefined();
  }
  return error;
}

describe('a crafted snapshot', () => {
  it.each([
    ['a view', 'CREATE VIEW extra AS SELECT * FROM events'],
    ['a trigger', 'CREATE TRIGGER extra AFTER INSERT ON events BEGIN DELETE FROM workspaces; END'],
    ['a table more', 'CREATE TABLE extra (a)'],
    ['a column more', 'ALTER TABLE events ADD COLUMN extra TEXT'],
    ['an index more', 'CREATE INDEX extra ON events (created_at)'],
    ['a table less', 'DROP TABLE idempotency_keys'],
    [
      'a view in the place of a table',
      'DROP TABLE faults; CREATE VIEW faults AS SELECT 1 AS seq, 2 AS id, 3 AS rule, 0 AS applied_count, 0 AS created_at',
    ],
    [
      'a table that is not strict',
      "UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE name = 'events'",
    ],
  ])('a snapshot is refused with 422 if its schema has %s [snapshots.schema]', async (_, sql) => {
    const error = await refusalOf(await craft(sql));
    expect(error).toMatchObject({ code: 'validation_failed', status: 422 });
    expect(error.message).toMatch(/its schema differs from that of a snapshot|is damaged/);
  });

  it.each([
    ['webhooks', 'headers', "UPDATE webhooks SET headers = 'none'"],
    ['webhooks', 'headers', `UPDATE webhooks SET headers = '{"a":"b\\r\\nc: d"}'`],
    ['webhooks', 'events', `UPDATE webhooks SET events = '[1]'`],
    ['webhooks', 'url', `UPDATE webhooks SET url = 'file:///etc/passwd'`],
    ['events', 'envelope', "UPDATE events SET envelope = '{}'"],
    ['events', 'envelope', "UPDATE events SET envelope = envelope || '}'"],
    ['events', 'type', "UPDATE events SET type = 'no type'"],
    ['events', 'id', "UPDATE events SET id = char(27) || '[2J'"],
    ['attempts', 'request_headers', "UPDATE attempts SET request_headers = '['"],
    ['attempts', 'response_headers', `UPDATE attempts SET response_headers = '{"a":1}'`],
    ['attempts', 'outcome', "UPDATE attempts SET outcome = 'fine'"],
    ['attempts', 'fault', `UPDATE attempts SET fault = '{"id":1}'`],
    ['attempts', 'phases', "UPDATE attempts SET phases = '[1,2]'"],
    ['attempts', 'phases', "UPDATE attempts SET phases = '[1,null,null,null,1,1,-1]'"],
    ['deliveries', 'own_body', "UPDATE deliveries SET own_body = 'text'"],
    ['deliveries', 'due_at', 'UPDATE deliveries SET due_at = 9223372036854775807'],
    ['deliveries', 'attempt_count', 'UPDATE deliveries SET attempt_count = -1'],
    ['workspaces', 'clock_at', 'UPDATE workspaces SET clock_at = 9000000000000000'],
    ['workspaces', 'clock_at', 'UPDATE workspaces SET clock_at = -1'],
    ['workspaces', 'clock_speed', 'UPDATE workspaces SET clock_speed = 9e999'],
    ['workspaces', 'name', "UPDATE workspaces SET name = ''"],
    [
      'api_requests',
      'seq',
      'DELETE FROM api_request_messages; UPDATE api_requests SET seq = 9007199254740991',
    ],
    [
      'api_request_messages',
      'request_headers',
      `UPDATE api_request_messages SET request_headers = '{"a":1}'`,
    ],
    ['api_request_messages', 'request_truncated', 'UPDATE api_request_messages SET request_truncated = 2'],
    ['api_requests', 'resource_id', "UPDATE api_requests SET resource_id = 'x'"],
    ['api_keys', 'hash', "UPDATE api_keys SET hash = x'00'"],
    ['api_keys', 'scopes', `UPDATE api_keys SET scopes = '["all"]'`],
    ['deliveries', 'settled_seq', 'UPDATE deliveries SET settled_seq = 1'],
    ['deliveries', 'own_url', "UPDATE deliveries SET own_url = 'file:///etc/passwd'"],
    ['events', 'envelope', `UPDATE events SET envelope = replace(envelope, '"payload":{}', '"payload":[]')`],
    ['faults', 'rule', `UPDATE faults SET rule = '{"on":"nothing"}'`],
    ['faults', 'applied_count', 'UPDATE faults SET applied_count = -1'],
    ['idempotency_keys', 'body', "UPDATE idempotency_keys SET body = 'text'"],
    ['idempotency_keys', 'status', 'UPDATE idempotency_keys SET status = 1000'],
    ['webhooks', 'secret', "UPDATE webhooks SET secret = 'a b'"],
    ['webhooks', 'disabled', 'UPDATE webhooks SET disabled = 2'],
  ])(
    'a snapshot is refused with 422 if a row of %s has an invalid %s [snapshots.rows]',
    async (table, column, sql) => {
      expect(await refusalOf(await craft(sql))).toMatchObject({
        code: 'validation_failed',
        status: 422,
        message: expect.stringContaining(`a row of ${table} has an invalid ${column}`),
      });
    },
  );

  it.each([
    ['a time of saving that is not one', "UPDATE settings SET value = 'now' WHERE key = 'snapshot_saved_at'"],
    [
      'a clock that would pass the year 9999',
      'UPDATE workspaces SET clock_at = 253402300799999, clock_wall_at = 0',
    ],
    ['rows that refer to nothing', 'DELETE FROM workspaces'],
  ])('a snapshot is refused with 422 if it has %s', async (_, sql) => {
    expect(await refusalOf(await craft(sql))).toMatchObject({ code: 'validation_failed', status: 422 });
  });

  it('an unchanged snapshot with a row in each table is loaded [snapshots.rows]', async () => {
    const path = await craft('SELECT 1');
    const db = new Database(path, { readonly: true });
    const tables = listStateTables(db);
    const counts = tables.map((table) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
    db.close();
    expect(Math.min(...counts.map(Number))).toBeGreaterThan(0);
    expect(Object.keys(rowSchemas).sort()).toEqual(tables.sort());
    expect(await refusalOf(path)).toBeNull();
  });
});

describe.skipIf(process.platform === 'win32')('a path that is not a regular snapshot file', () => {
  it('loading from a FIFO is refused without blocking [snapshots.load]', async () => {
    const path = join(createTemporaryFolder(), 'fifo');
    expect(spawnSync('mkfifo', [path]).status).toBe(0);
    expect(await refusalOf(path)).toMatchObject({
      code: 'usage',
      message: `The snapshot ${path} cannot be read: it is not a regular file.`,
    });
  });

  it('loading from a device is refused [snapshots.load]', async () => {
    expect(await refusalOf('/dev/zero')).toMatchObject({
      message: 'The snapshot /dev/zero cannot be read: it is not a regular file.',
    });
  });

  it('loading from a file of more than 16 GB is refused without reading it [snapshots.load]', async () => {
    const path = join(createTemporaryFolder(), 'large.db');
    writeFileSync(path, '');
    // A sparse file, which takes no space.
    truncateSync(path, 16 * 2 ** 30 + 1);
    expect(await refusalOf(path)).toMatchObject({
      code: 'usage',
      message: `The snapshot ${path} cannot be read: it is larger than 16384 MB.`,
    });
  });

  it('saving to a FIFO, a device or a folder is refused [snapshots.save]', async () => {
    const folder = createTemporaryFolder();
    spawnSync('mkfifo', [join(folder, 'fifo')]);
    symlinkSync('/dev/null', join(folder, 'link'));
    mkdirSync(join(folder, 'folder'));
    for (const name of ['fifo', 'link', 'folder']) {
      const path = join(folder, name);
      await expect(save(openStore(), path)).rejects.toMatchObject({
        code: 'usage',
        message: `${path} is not a regular file.`,
      });
    }
    expect(lstatSync(join(folder, 'fifo')).isFIFO()).toBe(true);
    expect(readlinkSync(join(folder, 'link'))).toBe('/dev/null');
  });

  it('saving to an empty file that svc did not write is refused [snapshots.save]', async () => {
    const path = join(createTemporaryFolder(), 'state.svc');
    writeFileSync(path, '');
    await expect(save(openStore(), path)).rejects.toMatchObject({
      code: 'usage',
      message: `${path} already exists and is not a snapshot.`,
    });
    expect(readFileSync(path)).toHaveLength(0);
  });

  it('saving to a symbolic link replaces the snapshot that it points to and keeps the link', async () => {
    const folder = createTemporaryFolder();
    const [path, link] = [join(folder, 'state.svc'), join(folder, 'link')];
    await save(openStore(), path);
    symlinkSync(path, link);
    linkSync(path, join(folder, 'earlier-link'));
    await save(openStore(), link);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(lstatSync(path).ino).not.toBe(lstatSync(join(folder, 'earlier-link')).ino);
  });
});

describe('saveSnapshot', () => {
  /** A store of several thousand pages. */
  function fill(store: Store): void {
    store.writeNow(() => {
      for (let i = 0; i < 400; i++) store.settings.set(`large ${i}`, 'x'.repeat(20_000));
    });
  }

  it('a save yields to the event loop, and the snapshot contains the state at its end', async () => {
    const store = openStore(join(createTemporaryFolder(), 'sandbox.db'));
    fill(store);
    const path = join(createTemporaryFolder(), 'state.svc');
    let turns = 0;
    let isOver = false;
    const countTurns = () => {
      if (isOver) return;
      turns++;
      store.writeNow(() => {
        // Both ends of the file change in one transaction.
        store.settings.set('large 0', String(turns));
        store.settings.set('large 399', String(turns));
      });
      setImmediate(countTurns);
    };
    countTurns();
    await save(store, path);
    isOver = true;
    expect(turns).toBeGreaterThan(5);
    const db = new Database(path, { readonly: true });
    const find = db.prepare('SELECT value FROM settings WHERE key = ?').pluck();
    expect(Number(find.get('large 0'))).toBeGreaterThan(1);
    expect(find.get('large 0')).toBe(find.get('large 399'));
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    db.close();
  });

  it('a save rejects and leaves no file when the store is closed', async () => {
    const store = openStore(join(createTemporaryFolder(), 'sandbox.db'));
    fill(store);
    const folder = createTemporaryFolder();
    const saved = save(store, join(folder, 'state.svc'));
    setImmediate(() => store.close());
    await expect(saved).rejects.toMatchObject({ code: 'storage_unavailable' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('a save waits for the save before it', async () => {
    const store = openStore();
    fill(store);
    const folder = createTemporaryFolder();
    const path = join(folder, 'state.svc');
    await Promise.all([save(store, path), save(store, path), save(store, join(folder, 'other.svc'))]);
    expect(readdirSync(folder).sort()).toEqual(['other.svc', 'state.svc']);
  });
});

describe('a saved snapshot', () => {
  it.skipIf(process.platform === 'win32')(
    'a snapshot is one private file with the state at its end, and the path of its temporary file is known until then',
    async () => {
      const store = openStore(join(createTemporaryFolder(), 'sandbox.db'));
      const folder = createTemporaryFolder();
      const path = join(folder, 'state.svc');
      let temporaryFiles: string[] = [];
      let recorded: string | undefined;
      let wallTime = NOW;
      const { savedAt, sizeBytes } = await store.saveSnapshot(
        path,
        () => wallTime,
        () => {
          temporaryFiles = readdirSync(folder).filter((name) => name.endsWith('.tmp'));
          recorded = store.settings.find('unfinished_snapshot');
          store.settings.set('at the end', 'yes');
          wallTime = NOW + 1;
        },
      );
      expect(recorded).toBe(join(folder, temporaryFiles[0] ?? ''));
      expect(store.settings.find('unfinished_snapshot')).toBe('');
      expect(readdirSync(folder)).toEqual(['state.svc']);
      const { mode, size } = lstatSync(path);
      expect([mode & 0o777, savedAt, sizeBytes]).toEqual([0o600, NOW + 1, size]);
      const db = new Database(path);
      const find = (key: string) => db.prepare('SELECT value FROM settings WHERE key = ?').pluck().get(key);
      expect([find('at the end'), find('snapshot_saved_at')]).toEqual(['yes', String(NOW + 1)]);
      expect(db.pragma('journal_mode', { simple: true })).toBe('delete');
      db.close();
    },
  );

  it('a save that fails leaves no temporary file, and the next one succeeds', async () => {
    const store = openStore();
    const folder = createTemporaryFolder();
    const failure = new Error('no more');
    const failed = store.saveSnapshot(
      join(folder, 'state.svc'),
      () => NOW,
      () => {
        throw failure;
      },
    );
    await expect(failed).rejects.toMatchObject({ code: 'usage', cause: failure });
    expect([readdirSync(folder), store.settings.find('unfinished_snapshot')]).toEqual([[], '']);
    await expect(save(store, join(folder, 'missing', 'state.svc'))).rejects.toMatchObject({
      code: 'usage',
      hint: { text: 'Check the path, its permissions and the free disk space.' },
    });
    expect(store.settings.find('unfinished_snapshot')).toBe('');
    await save(store, join(folder, 'state.svc'));
    expect(readdirSync(folder)).toEqual(['state.svc']);
  });

  it('a save deletes only the temporary files of killed saves that are a minute old [snapshots.temporary]', async () => {
    const folder = createTemporaryFolder();
    const path = join(folder, 'state.svc');
    await save(openStore(), path);
    const longAgo = lstatSync(path).mtimeMs / 1000 - 61;
    const [abandoned, folderName, recent] = [0, 1, 2].map(
      (digit) => `.svc-snapshot-${digit}0000000-0000-4000-8000-000000000000.tmp`,
    ) as [string, string, string];
    const others = ['notes.tmp', `${abandoned}.txt`, `x${abandoned}`];
    for (const name of [abandoned, `${abandoned}-wal`, ...others]) writeFileSync(join(folder, name), 'mine');
    mkdirSync(join(folder, folderName));
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), longAgo, longAgo);
    writeFileSync(join(folder, recent), 'mine');
    await save(openStore(), path);
    expect(readdirSync(folder).sort()).toEqual([...others, folderName, recent, 'state.svc'].sort());
  });
});

describe('the temporary file of a killed save', () => {
  const NAME = '.svc-snapshot-00000000-0000-4000-8000-000000000000.tmp';

  it('the temporary file is deleted when the database is next opened [snapshots.temporary]', () => {
    const path = join(createTemporaryFolder(), 'sandbox.db');
    const folder = createTemporaryFolder();
    const first = new Store({ path });
    for (const end of ['', '-journal']) writeFileSync(join(folder, NAME + end), 'half');
    first.settings.set('unfinished_snapshot', join(folder, NAME));
    first.close();
    openStore(path);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('no other file is deleted when the database is opened', () => {
    const path = join(createTemporaryFolder(), 'sandbox.db');
    const unrelatedFile = join(createTemporaryFolder(), 'notes.tmp');
    writeFileSync(unrelatedFile, 'mine');
    const first = new Store({ path });
    first.settings.set('unfinished_snapshot', unrelatedFile);
    first.close();
    openStore(path);
    expect(readFileSync(unrelatedFile, 'utf8')).toBe('mine');
  });
});
