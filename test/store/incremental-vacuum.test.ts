import { expect, it, vi } from 'vitest';
import { enableIncrementalVacuum, releaseFreePages } from '../../src/store/incremental-vacuum.ts';
import { Database } from '../support/sqlite.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

let now = 0;
// Each look at the time takes as long as a step on a slow machine.
vi.mock('../../src/timers.ts', async (load) => ({ ...(await load<object>()), monotonic: () => (now += 5) }));

it('releaseFreePages yields to the event loop every few steps', async () => {
  const db = new Database(`${createTemporaryFolder()}/free.db`);
  enableIncrementalVacuum(db);
  db.exec('CREATE TABLE large (text)');
  const insert = db.prepare('INSERT INTO large VALUES (?)');
  for (let i = 0; i < 200; i++) insert.run('x'.repeat(20_000));
  db.exec('DELETE FROM large');
  let steps = 0;
  let turns = 0;
  const countTurns = () => {
    turns++;
    if (db.open) setImmediate(countTurns);
  };
  countTurns();
  await releaseFreePages(
    db,
    () => true,
    () => steps++,
  );
  const turnsMeanwhile = turns;
  expect(db.pragma('freelist_count', { simple: true })).toBe(0);
  db.close();
  expect(steps).toBeGreaterThan(5);
  expect(turnsMeanwhile).toBeGreaterThan(2);
});
