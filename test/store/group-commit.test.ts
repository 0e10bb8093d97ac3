import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SvcError } from '../../src/domain/errors.ts';
import { GroupCommit } from '../../src/store/group-commit.ts';
import { useFakeTimers } from '../support/fake-timers.ts';
import { Database } from '../support/sqlite.ts';

function open({ assertWritable = () => {} } = {}) {
  const db = new Database(':memory:');
  onTestFinished(() => {
    db.close();
  });
  db.pragma('foreign_keys = ON');
  db.exec('CREATE TABLE parents (id INTEGER PRIMARY KEY) STRICT');
  db.exec('CREATE TABLE notes (text TEXT NOT NULL UNIQUE, parent INTEGER REFERENCES parents) STRICT');
  let commits = 0;
  let undone = 0;
  const group = new GroupCommit(db, {
    assertWritable,
    onCommit: () => {
      commits++;
    },
    onRollback: () => {
      undone++;
    },
  });
  const insert = db.prepare('INSERT INTO notes (text, parent) VALUES (?, ?)');
  return {
    db,
    group,
    note: (text: string, parent: number | null = null) => insert.run(text, parent),
    notes: () => db.prepare<[], string>('SELECT text FROM notes ORDER BY rowid').pluck().all(),
    commits: () => commits,
    undone: () => undone,
    /** Makes the commit of the group fail: SQLite looks at the broken reference only then. */
    breakCommit: () => {
      db.pragma('defer_foreign_keys = ON');
      insert.run('orphan', 404);
    },
  };
}

const fail = (message: string) => () => {
  throw new Error(message);
};

describe('GroupCommit.run', () => {
  it('all writes of one turn run in one transaction, in order', async () => {
    const { group, note, notes, commits } = open();
    const results = await Promise.all(
      ['a', 'b', 'c'].map((text) => group.run(() => note(text).lastInsertRowid)),
    );
    expect(results).toEqual([1, 2, 3]);
    expect(notes()).toEqual(['a', 'b', 'c']);
    expect(commits()).toBe(1);
    await group.run(() => note('d'));
    expect(commits()).toBe(2);
  });

  it('a group contains the writes of successive turns, up to 64', async () => {
    const { group, note, commits } = open();
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const writes: Promise<unknown>[] = [];
    for (let i = 0; i < 100; i++) {
      writes.push(group.run(() => note(`${i}`)));
      await turn();
    }
    await Promise.all(writes);
    expect(commits()).toBe(2);
  });

  it('no promise settles before the commit', async () => {
    const { db, group, note, commits } = open();
    const states = [1, 2].map((number) =>
      group
        .run(() => note(`${number}`))
        .then(() => ({ commits: commits(), inTransaction: db.inTransaction })),
    );
    expect(await Promise.all(states)).toEqual([
      { commits: 1, inTransaction: false },
      { commits: 1, inTransaction: false },
    ]);
  });

  it('only the operation that throws is rolled back and rejected', async () => {
    const { group, note, notes } = open();
    const results = await Promise.allSettled([
      group.run(() => note('before')),
      group.run(() => {
        note('half');
        throw new Error('changed my mind');
      }),
      group.run(() => note('before')),
      group.run(() => note('after')),
    ]);
    expect(notes()).toEqual(['before', 'after']);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { message: 'changed my mind' } });
    expect(results[2]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_UNIQUE' } });
  });

  it('every rollback is reported, so that no cache keeps what was undone', async () => {
    const { group, note, commits, undone } = open();
    await Promise.allSettled([group.run(() => note('a')), group.run(fail('first'))]);
    expect([commits(), undone()]).toEqual([1, 1]);
    // The group is rolled back for each of the two errors.
    await Promise.allSettled([
      group.run(() => note('b')),
      group.run(fail('first')),
      group.run(fail('second')),
    ]);
    expect([commits(), undone()]).toEqual([2, 3]);
  });

  it('no operation of a group runs while the file is damaged', async () => {
    let problem: SvcError | null = new SvcError('storage_unavailable', 'The database file was removed.');
    const { group, note, notes, undone } = open({
      assertWritable: () => {
        if (problem !== null) throw problem;
      },
    });
    const results = await Promise.allSettled([group.run(() => note('a')), group.run(() => note('b'))]);
    expect(results).toEqual([
      { status: 'rejected', reason: problem },
      { status: 'rejected', reason: problem },
    ]);
    expect([notes(), undone()]).toEqual([[], 1]);
    problem = null;
    await group.run(() => note('c'));
    expect(notes()).toEqual(['c']);
  });

  it('a failed commit rejects every operation and leaves no rows', async () => {
    const { db, group, note, notes, commits, undone, breakCommit } = open();
    const results = await Promise.allSettled([
      group.run(() => note('a')),
      group.run(breakCommit),
      group.run(() => note('b')),
    ]);
    for (const result of results) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { code: 'storage_unavailable', status: 503 },
      });
    }
    expect(notes()).toEqual([]);
    expect(db.inTransaction).toBe(false);
    expect([commits(), undone()]).toEqual([0, 1]);
  });

  it.each([
    ['alone', []],
    ['after an operation that throws', [fail('first')]],
  ])('a full disk rejects every operation of the group: %s', async (_, before) => {
    const { db, group, note, notes } = open();
    db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`);
    const results = await Promise.allSettled([
      ...before.map((operation) => group.run(operation)),
      group.run(() => note('small')),
      group.run(() => note('x'.repeat(100_000))),
    ]);
    expect(results.at(-1)).toMatchObject({
      status: 'rejected',
      reason: { code: 'storage_unavailable', message: expect.stringContaining('full') },
    });
    expect(db.inTransaction).toBe(false);
    // The row exists only if the promise of its write was fulfilled.
    expect(notes()).toEqual(results.at(-2)?.status === 'fulfilled' ? ['small'] : []);
    db.pragma('max_page_count = 1000000');
    await group.run(() => note('after'));
    expect(notes().at(-1)).toBe('after');
  });
});

describe('GroupCommit.runLater', () => {
  it('the write runs in the next group, in order', async () => {
    const { group, note, notes, commits } = open();
    const first = group.runLater(() => note('a').lastInsertRowid);
    const write = group.run(() => note('b'));
    void group.runLater(() => note('c'));
    await write;
    expect(await first).toBe(1);
    expect(notes()).toEqual(['a', 'b', 'c']);
    expect(commits()).toBe(1);
  });

  it('the error of a write can be ignored and does not affect the group', async () => {
    const { group, note, notes } = open();
    const failed = group.runLater(fail('no log today'));
    void group.runLater(fail('unhandled'));
    await group.run(() => note('row'));
    expect(notes()).toEqual(['row']);
    await expect(failed).rejects.toThrow('no log today');
  });

  it('commitSoon commits the waiting writes', async () => {
    const { group, note, notes, commits } = open();
    const later = group.runLater(() => note('a'));
    group.commitSoon();
    group.commitSoon();
    expect(notes()).toEqual([]);
    await later;
    expect([notes(), commits()]).toEqual([['a'], 1]);
  });

  it('flush commits the write at once', () => {
    const { group, note, notes, commits } = open();
    void group.runLater(() => note('log'));
    group.flush();
    expect(notes()).toEqual(['log']);
    group.flush();
    expect(commits()).toBe(1);
  });

  it('without a next group, a timer that does not keep the process alive commits the writes after 20 ms', () => {
    useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const started = vi.spyOn(globalThis, 'setTimeout');
    const { group, note, notes, commits } = open();
    for (const texts of [
      ['a', 'b'],
      ['c', 'd'],
    ]) {
      for (const text of texts) void group.runLater(() => note(text));
      expect(vi.getTimerCount()).toBe(1);
      vi.advanceTimersByTime(19);
      expect(notes()).not.toContain(texts[0]);
      vi.advanceTimersByTime(1);
      expect(notes().slice(-2)).toEqual(texts);
    }
    expect(commits()).toBe(2);
    expect(started.mock.results.map(({ value }) => value.hasRef())).toEqual([false, false]);
  });
});
