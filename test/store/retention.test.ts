import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/domain/duration.ts';
import type { Store } from '../../src/store/store.ts';
import { startTestEmulator } from '../support/emulator.ts';
import { createFolder } from '../support/folder.ts';
import { createReceiver } from '../support/receiver.ts';
import { createTestWall } from '../support/test-wall.ts';
import { insertAttempt, insertDeliveries, insertRequest, NOW, openStore } from './rows.ts';

const OLD = NOW - 8 * DAY_MS;

/** A delivery with one attempt made at `sentAt`, settled by it unless `status` says otherwise. */
function insertDelivered(store: Store, sentAt: number, status: 'succeeded' | 'pending' = 'succeeded') {
  // The schedule time of all of them is the same: it tells nothing of their age.
  const place = insertDeliveries(store, [NOW]);
  const [seq = 0] = place.deliveries;
  insertAttempt(store, seq, 1, sentAt);
  if (status === 'succeeded') settle(store, seq);
  return { ...place, seq };
}

function settle(store: Store, seq: number): void {
  const settled = { status: 'succeeded', due_at: null, settled_at: NOW, settled_reason: null } as const;
  store.deliveries.change({ ...store.deliveries.getProgress(seq), ...settled });
}

/** Removes what is older than seven days. @returns how many writes it took. */
function removeOld(store: Store): number {
  let writes = 0;
  for (const remove of store.retention.removalsBefore(NOW - 7 * DAY_MS)) {
    store.writeNow(remove);
    writes++;
  }
  return writes;
}

/** Which of its rows are still there. */
function rowsOf(store: Store, { seq, workspace }: { seq: number; workspace: number }) {
  return {
    delivery: store.deliveryView.findBySeq(seq) !== undefined,
    attempts: store.attempts.listOfDelivery(seq).length,
    events: store.events.list(workspace, null, { limit: 10, beforeSeq: null }).rows.length,
  };
}

const gone = { delivery: false, attempts: 0, events: 0 };
const kept = { delivery: true, attempts: 1, events: 1 };

describe('removing what is old', () => {
  it('removes settled deliveries with their attempts and events, and requests of the log', () => {
    const store = openStore();
    const delivered = insertDelivered(store, OLD);
    const requests = [insertRequest(store, OLD), insertRequest(store, OLD), insertRequest(store, NOW)];
    removeOld(store);
    expect(rowsOf(store, delivered)).toEqual(gone);
    expect(requests.map((seq) => store.apiRequests.findBySeq(seq)?.seq)).toEqual([
      undefined,
      ...requests.slice(1),
    ]);
  });

  it('keeps what is pending, and removes it once it has settled', () => {
    const store = openStore();
    const pending = insertDelivered(store, OLD, 'pending');
    insertRequest(store, OLD);
    removeOld(store);
    expect(rowsOf(store, pending)).toEqual(kept);
    settle(store, pending.seq);
    removeOld(store);
    expect(rowsOf(store, pending)).toEqual(gone);
  });

  it('keeps what was made or sent later, whatever its schedule time', () => {
    const store = openStore();
    const sentAgain = insertDelivered(store, OLD);
    insertRequest(store, OLD);
    insertAttempt(store, sentAgain.seq, 2, NOW);
    const young = insertDelivered(store, NOW);
    insertRequest(store, NOW);
    removeOld(store);
    expect(rowsOf(store, sentAgain)).toEqual({ ...kept, attempts: 2 });
    expect(rowsOf(store, young)).toEqual(kept);
  });

  it('keeps the original of a replay for as long as the replay', () => {
    const store = openStore();
    const original = insertDelivered(store, OLD);
    const copy = store.nextSeq();
    store.deliveries.insertCopy({
      ...{ seq: copy, id: 'del_copy', created_at: NOW, own_url: null, own_body: null },
      replay_of_seq: original.seq,
    });
    insertRequest(store, OLD);
    removeOld(store);
    expect(rowsOf(store, original)).toEqual(kept);
    settle(store, copy);
    removeOld(store);
    removeOld(store);
    expect(rowsOf(store, original)).toEqual(gone);
  });

  it('removes a window of rows in each write', () => {
    const store = openStore();
    const dueTimes = Array.from({ length: 1200 }, () => NOW);
    const { deliveries } = insertDeliveries(store, dueTimes);
    for (const seq of deliveries) settle(store, seq);
    insertRequest(store, OLD);
    const order = store.lastSeq;
    // Three windows of deliveries, one of events; the newest old request stays as their bound.
    expect(removeOld(store)).toBe(4);
    expect(deliveries.filter((seq) => store.deliveryView.findBySeq(seq))).toEqual([]);
    expect(store.lastSeq).toBe(order);
    expect(removeOld(store)).toBe(0);
  });

  it('asks an index whether a delivery is the original of a replay', () => {
    const plan = openStore().explain('SELECT 1 FROM deliveries copy WHERE copy.replay_of_seq = 1');
    expect(plan.join()).toContain('deliveries_by_original');
  });
});

describe('an emulator that keeps seven days', () => {
  it('removes older events when it boots', async () => {
    const db = `${createFolder()}/sandbox.db`;
    const wall = createTestWall();
    await using receiver = await createReceiver();
    const list = async (emulator: Awaited<ReturnType<typeof startTestEmulator>>) =>
      (await emulator.api('GET', '/events')).json.data.map(({ type }: { type: string }) => type);
    {
      await using emulator = await startTestEmulator({ db, wall });
      const { workspace_id } = emulator.status();
      await emulator.api('POST', '/webhooks', { workspace_id, url: receiver.url, events: ['*'] });
      await emulator.api('POST', '/events', { type: 'a.old' });
      await emulator.control.settleClock({});
      expect(await list(emulator)).toEqual(['a.old']);
      wall.pass(8 * DAY_MS);
      await emulator.api('POST', '/events', { type: 'a.new' });
      await emulator.control.settleClock({});
      expect(await list(emulator)).toEqual(['a.new', 'a.old']);
    }
    await using emulator = await startTestEmulator({ db, wall, keepDays: 7 });
    await expect.poll(() => list(emulator)).toEqual(['a.new']);
  });
});
