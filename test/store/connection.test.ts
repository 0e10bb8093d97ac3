import { renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Connection } from '../../src/store/connection.ts';
import { readPragma } from '../../src/store/sql.ts';
import { Database } from '../support/sqlite.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

/** Milliseconds between two readings of the time, as long as a step on a slow machine. */
const STEP_MS = 5;
let now = 0;
vi.mock('../../src/timers.ts', async (load) => ({
  ...(await load<object>()),
  monotonic: () => (now += STEP_MS),
}));

function open(path = join(createTemporaryFolder(), 'sandbox.db')) {
  let [commits, rollbacks] = [0, 0];
  const connection = new Connection(
    { path },
    {
      onCommit: () => commits++,
      onRollback: () => rollbacks++,
      expectsMore: () => false,
    },
  );
  onTestFinished(() => connection.close());
  const { db } = connection;
  return {
    ...{ path, connection, db },
    counts: () => ({ commits, rollbacks }),
    set: (key: string) => connection.sql.run('INSERT INTO settings VALUES (?, 1)', [key]),
    keys: () => connection.sql.values('SELECT key FROM settings ORDER BY key'),
    /** A change whose reference is broken, which fails only while foreign keys are on. */
    breakReference: () => connection.sql.run("INSERT INTO events VALUES (1, 'evt_1', 404, 'a.b', 0, '{}')"),
    /** Makes about this many pages free, and the file larger by as many. */
    freePages: (count: number) => {
      const insert = db.prepare('INSERT INTO settings VALUES (?, ?)');
      connection.writeNow(() => {
        for (let i = 0; i < count; i++) insert.run(`free ${i}`, 'x'.repeat(4_000));
      });
      connection.writeNow(() => db.exec("DELETE FROM settings WHERE key LIKE 'free %'"));
    },
  };
}

const fail = (code: string) => () => {
  throw Object.assign(new Error('details'), { code });
};

describe('Connection', () => {
  it('the monitor of the file knows every write of the emulator itself', async () => {
    const { connection, set, keys, counts } = open();
    expect(connection.writeNow(() => set('a').changes)).toBe(1);
    await connection.group.run(() => set('b'));
    expect(connection.monitor.check()).toBeNull();
    // A size that was not recorded would hide a truncation.
    const record = vi.spyOn(connection.monitor, 'recordWrite');
    connection.writeNow(() => set('c'));
    await connection.group.run(() => set('d'));
    expect(record).toHaveBeenCalledTimes(2);
    expect(keys()).toEqual(['a', 'b', 'c', 'd']);
    expect(counts()).toEqual({ commits: 2, rollbacks: 0 });
  });

  it('a failed operation of a group is reported as a rollback', async () => {
    const { connection, set, keys, counts } = open();
    await expect(connection.group.run(fail('EOTHER'))).rejects.toThrow('details');
    await connection.group.run(() => set('a'));
    expect([counts().rollbacks, keys()]).toEqual([1, ['a']]);
  });

  it('a failure of the disk becomes storage_unavailable, and any other error stays', () => {
    const { connection } = open();
    expect(() => connection.withStorageErrors(fail('SQLITE_FULL'))).toThrow(
      expect.objectContaining({ code: 'storage_unavailable' }),
    );
    expect(() => connection.withStorageErrors(fail('EOTHER'))).toThrow(
      expect.objectContaining({ code: 'EOTHER' }),
    );
  });

  it('rows can be replaced without their references, after all waiting writes', async () => {
    const { connection, db, set, keys, breakReference } = open();
    const waiting = connection.group.run(() => set('waiting'));
    connection.writeWithoutForeignKeys(() => {
      expect(keys()).toEqual(['waiting']);
      breakReference();
      db.exec('DELETE FROM events');
    });
    await waiting;
    for (const code of ['SQLITE_IOERR', 'EOTHER']) {
      expect(() =>
        connection.writeWithoutForeignKeys(() => {
          set('rolled back');
          fail(code)();
        }),
      ).toThrow(expect.objectContaining({ code: code === 'EOTHER' ? code : 'storage_unavailable' }));
    }
    expect(keys()).toEqual(['waiting']);
    expect(breakReference).toThrow('FOREIGN KEY');
  });

  it.skipIf(process.platform === 'win32')('no rows are replaced after the file was removed', () => {
    const { path, connection } = open();
    renameSync(path, `${path}.moved`);
    const operation = vi.fn();
    expect(() => connection.writeWithoutForeignKeys(operation)).toThrow(
      expect.objectContaining({ code: 'storage_unavailable' }),
    );
    expect(operation).not.toHaveBeenCalled();
    renameSync(`${path}.moved`, path);
  });

  it('another file is attached only during the operation, even if that fails', async () => {
    const { connection, db, set } = open();
    const other = join(createTemporaryFolder(), 'other.db');
    new Database(other).exec('CREATE TABLE notes (text)').close();
    const count = () => db.prepare('SELECT count(*) FROM other.notes').pluck().get();
    // ATTACH is not possible inside a transaction.
    const waiting = connection.group.run(() => set('waiting'));
    let inOperation: unknown;
    connection.whileAttached(other, 'other', () => {
      inOperation = [count(), connection.sql.values('SELECT key FROM settings')];
    });
    await waiting;
    expect(inOperation).toEqual([0, ['waiting']]);
    expect(count).toThrow('no such table');
    expect(() => connection.whileAttached(other, 'other', fail('EOTHER'))).toThrow('details');
    expect(count).toThrow('no such table');
  });

  it('close commits waiting writes, and nothing is possible after it', async () => {
    const { path, connection, set } = open();
    expect(connection.assertOpen()).toBeUndefined();
    const waiting = connection.group.run(() => set('waiting'));
    connection.close();
    connection.close();
    await waiting;
    expect(() => connection.assertOpen()).toThrow(
      expect.objectContaining({ message: 'The emulator is stopping.' }),
    );
    expect(open(path).keys()).toEqual(['waiting']);
  });
});

describe('Connection.releaseFreePages', () => {
  const countFree = ({ db }: ReturnType<typeof open>) => readPragma(db, 'freelist_count');

  it('few free pages are kept for new rows, and many are released', async () => {
    const opened = open();
    opened.freePages(40);
    const few = countFree(opened);
    expect(few).toBeGreaterThan(30);
    await opened.connection.releaseFreePages();
    expect(countFree(opened)).toBe(few);
    opened.freePages(400);
    const size = statSync(opened.path).size;
    await opened.connection.releaseFreePages();
    expect(countFree(opened)).toBe(0);
    expect(statSync(opened.path).size).toBeLessThan(Math.max(size, 400_000));
    expect(statSync(`${opened.path}-wal`).size).toBe(0);
    expect(opened.connection.monitor.check()).toBeNull();
  });

  it('a file that another program rewrote without incremental vacuum keeps its free pages', async () => {
    const path = join(createTemporaryFolder(), 'sandbox.db');
    open(path).connection.close();
    const rewritten = new Database(path);
    rewritten.pragma('auto_vacuum = NONE');
    rewritten.exec('VACUUM');
    rewritten.close();
    const opened = open(path);
    opened.freePages(400);
    const free = countFree(opened);
    expect(free).toBeGreaterThan(300);
    await opened.connection.releaseFreePages();
    expect(countFree(opened)).toBe(free);
  });

  it('a release ends when the file is closed, and a closed file has nothing to release', async () => {
    const { connection, freePages } = open();
    freePages(3_000);
    const release = connection.releaseFreePages();
    connection.close();
    await expect(release).resolves.toBeUndefined();
    await expect(connection.releaseFreePages()).resolves.toBeUndefined();
  });

  it.skipIf(process.platform === 'win32')('a removed file is not changed', async () => {
    const opened = open();
    opened.freePages(400);
    const free = countFree(opened);
    renameSync(opened.path, `${opened.path}.moved`);
    await opened.connection.releaseFreePages();
    expect(countFree(opened)).toBe(free);
    renameSync(`${opened.path}.moved`, opened.path);
  });
});

it('releaseFreePages yields to the event loop every few steps', async () => {
  const path = `${createTemporaryFolder()}/free.db`;
  const connection = new Connection(
    { path },
    {
      onCommit: () => {},
      onRollback: () => {},
      expectsMore: () => false,
    },
  );
  onTestFinished(() => connection.close());
  const { db } = connection;
  db.exec('CREATE TABLE large (text)');
  const insert = db.prepare('INSERT INTO large VALUES (?)');
  for (let i = 0; i < 200; i++) insert.run('x'.repeat(20_000));
  db.exec('DELETE FROM large');
  const recordWrite = vi.spyOn(connection.monitor, 'recordWrite');
  let turns = 0;
  const countTurns = () => {
    turns++;
    if (db.open) setImmediate(countTurns);
  };
  countTurns();
  await connection.releaseFreePages();
  const turnsMeanwhile = turns;
  expect(db.pragma('freelist_count', { simple: true })).toBe(0);
  expect(recordWrite.mock.calls.length).toBeGreaterThan(5);
  expect(turnsMeanwhile).toBeGreaterThan(2);
});
