import { expect, it, onTestFinished, vi } from 'vitest';
import { Connection } from '../../src/store/connection.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

let now = 0;
// Each reading of the time takes as long as a step on a slow machine.
vi.mock('../../src/timers.ts', async (load) => ({ ...(await load<object>()), monotonic: () => (now += 5) }));

it('releaseFreePages yields to the event loop every few steps', async () => {
  const path = `${createTemporaryFolder()}/free.db`;
  const connection = new Connection(
    { path },
    {
      onCommit: () => {},
      onRollback: () => {},
      expectsMore: () => false,
      onVisible: () => {},
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
