import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Connection } from '../../src/store/connection.ts';
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
    breakReference: () =>
      connection.sql.run("INSERT INTO events VALUES (1, 'evt_1', 404, 'a.b', 0, 0, '{}')"),
  };
}

const fail = (code: string) => () => {
  throw Object.assign(new Error('details'), { code });
};

describe('Connection', () => {
  it('every write is committed, and only groups are reported', async () => {
    const { connection, set, keys, counts } = open();
    expect(connection.writeNow(() => set('a').changes)).toBe(1);
    await connection.group.run(() => set('b'));
    expect(connection.monitor.check()).toBeNull();
    expect([keys(), counts()]).toEqual([['a', 'b'], { commits: 1, rollbacks: 0 }]);
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

  it('a closed connection is reported as stopping', () => {
    const { connection } = open();
    expect(connection.assertOpen()).toBeUndefined();
    connection.close();
    expect(() => connection.assertOpen()).toThrow(
      expect.objectContaining({ message: 'The emulator is stopping.' }),
    );
  });
});
