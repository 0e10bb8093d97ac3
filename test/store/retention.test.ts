import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/domain/duration.ts';
import { KEPT_MESSAGES } from '../../src/store/retention.ts';
import type { Store } from '../../src/store/store.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator } from '../support/test-emulator.ts';
import { createReceiver } from '../support/test-receiver.ts';
import { createTestWallClock } from '../support/test-wall-clock.ts';
import { explainPrepared } from './query-plan.ts';
import {
  insertApiKey,
  insertAttempt,
  insertDeliveries,
  insertEvent,
  insertRequest,
  NOW,
  openStore,
} from './rows.ts';

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
  const before = store.deliveries.getProgress(seq);
  store.deliveries.update({ ...before, ...settled });
}

/** Removes what is older than seven days. @returns how many writes it took. */
function removeOld(store: Store): number {
  let writes = 0;
  for (const remove of store.retention.planRemovalBefore(NOW - 7 * DAY_MS)) {
    store.writeNow(remove);
    writes++;
  }
  return writes;
}

/** Which of its rows are still there. */
function rowsOf(store: Store, { seq, workspace }: { seq: number; workspace: number }) {
  return {
    delivery: store.deliveryQueries.findBySeq(seq) !== undefined,
    attempts: store.attempts.listByDelivery(seq).length,
    events: store.events.list(workspace, null, { limit: 10, beforeSeq: null }).rows.length,
  };
}

const gone = { delivery: false, attempts: 0, events: 0 };
const kept = { delivery: true, attempts: 1, events: 1 };

describe('Retention.planRemovalBefore', () => {
  it('old settled deliveries with their attempts and events, and old requests, are deleted', () => {
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

  it('a pending delivery is kept until it has settled', () => {
    const store = openStore();
    const pending = insertDelivered(store, OLD, 'pending');
    insertRequest(store, OLD);
    removeOld(store);
    expect(rowsOf(store, pending)).toEqual(kept);
    settle(store, pending.seq);
    removeOld(store);
    expect(rowsOf(store, pending)).toEqual(gone);
  });

  it('rows that were created or sent later are kept, whatever their schedule time', () => {
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

  it('the original of a replay is kept as long as the replay', () => {
    const store = openStore();
    const original = insertDelivered(store, OLD);
    const copy = store.nextSeq();
    store.deliveries.insertCopy({
      seq: copy,
      id: 'del_copy',
      created_at: NOW,
      own_url: null,
      own_body: null,
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

  it('each write deletes one window of rows', () => {
    const store = openStore();
    const dueTimes = Array.from({ length: 1200 }, () => NOW);
    const { deliveries } = insertDeliveries(store, dueTimes);
    for (const seq of deliveries) settle(store, seq);
    insertRequest(store, OLD);
    const order = store.lastSeq;
    // Three windows of deliveries, one of events; the newest old request stays as their bound.
    expect(removeOld(store)).toBe(4);
    expect(deliveries.filter((seq) => store.deliveryQueries.findBySeq(seq))).toEqual([]);
    expect(store.lastSeq).toBe(order);
    expect(removeOld(store)).toBe(0);
  });

  it('an index finds whether a delivery is the original of a replay', async () => {
    const store = openStore();
    insertDeliveries(store, [NOW]);
    const plans = await explainPrepared(/copy\.replay_of_seq = d\.seq/, () => {
      for (const remove of store.retention.planRemovalToFit(0, store.lastSeq)) remove();
    });
    expect(plans).toHaveLength(2);
    for (const { steps } of plans)
      expect(steps.join()).toContain('SEARCH copy USING COVERING INDEX deliveries_by_original');
  });
});

describe('Retention.planRemovalBeyond', () => {
  it('only the oldest logged requests are deleted', () => {
    const store = openStore();
    const delivered = insertDelivered(store, OLD);
    const requests = store.writeNow(() => Array.from({ length: 1200 }, () => insertRequest(store, NOW)));
    for (const remove of store.retention.planRemovalBeyond(100)) store.writeNow(remove);
    expect(requests.filter((seq) => store.apiRequests.findBySeq(seq))).toEqual(requests.slice(-100));
    expect(rowsOf(store, delivered)).toEqual(kept);
    expect([...store.retention.planRemovalBeyond(100)]).toEqual([]);
  });

  it('events are still deleted by age afterwards, because age marks replace the requests', () => {
    const store = openStore();
    const old = insertDelivered(store, OLD);
    store.writeNow(() => store.retention.recordAge(store.lastSeq, OLD));
    const young = insertDelivered(store, NOW);
    store.writeNow(() => store.retention.recordAge(store.lastSeq, NOW));
    removeOld(store);
    expect(rowsOf(store, old)).toEqual(gone);
    expect(rowsOf(store, young)).toEqual(kept);
  });

  it('the newest thousand age marks are kept', () => {
    const store = openStore();
    const first = insertDelivered(store, OLD);
    store.writeNow(() => store.retention.recordAge(store.lastSeq, OLD));
    const second = insertDelivered(store, OLD);
    const recorded = Array.from({ length: 1_000 }, (_, index) => ({
      seq: store.nextSeq(),
      at: index < 500 ? OLD : NOW,
    }));
    store.writeNow(() => {
      for (const { seq, at } of recorded) store.retention.recordAge(seq, at);
    });
    const young = insertDelivered(store, NOW);
    removeOld(store);
    // The mark of the first delivery is gone, but a newer old mark also covers it.
    expect([rowsOf(store, first), rowsOf(store, second)]).toEqual([gone, gone]);
    expect(rowsOf(store, young)).toEqual(kept);
    expect(JSON.parse(store.settings.find('age_marks') ?? '')).toEqual(recorded);
  });

  it('only what ended before the given time is old', () => {
    const limit = NOW - 7 * DAY_MS;
    const store = openStore();
    const first = insertRequest(store, OLD);
    // A request takes one millisecond.
    const [ended, exactly] = [insertRequest(store, limit - 2), insertRequest(store, limit - 1)];
    removeOld(store);
    // The newest old request stays.
    expect([first, ended, exactly].filter((seq) => store.apiRequests.findBySeq(seq))).toEqual([
      ended,
      exactly,
    ]);
    const marked = openStore();
    const delivered = insertDelivered(marked, OLD);
    marked.writeNow(() => marked.retention.recordAge(marked.lastSeq, limit));
    removeOld(marked);
    expect(rowsOf(marked, delivered)).toEqual(kept);
  });

  it('the age of the newest row is the first time at which it was recorded', () => {
    const store = openStore();
    const delivered = insertDelivered(store, OLD);
    for (const at of [OLD - 1, OLD, NOW]) store.writeNow(() => store.retention.recordAge(store.lastSeq, at));
    expect(JSON.parse(store.settings.find('age_marks') ?? '')).toEqual([{ seq: store.lastSeq, at: OLD - 1 }]);
    removeOld(store);
    expect(rowsOf(store, delivered)).toEqual(gone);
  });

  it('an old delivery with an attempt right after the newest old mark is kept, and so is a new event without deliveries', () => {
    const store = openStore();
    const delivered = insertDelivered(store, OLD);
    store.writeNow(() => store.retention.recordAge(store.lastSeq, OLD));
    store.writeNow(() => insertAttempt(store, delivered.seq, 2, NOW));
    const event = store.writeNow(() => insertEvent(store, delivered.workspace, { id: 'evt_new' }));
    removeOld(store);
    expect(rowsOf(store, delivered)).toEqual({ delivery: true, attempts: 2, events: 2 });
    expect(store.events.find('evt_new')?.seq).toBe(event);
  });

  it('a delivery that settled after the newest old mark is kept, although it was created before it', () => {
    const store = openStore();
    const settledLate = insertDelivered(store, OLD, 'pending');
    store.writeNow(() => store.retention.recordAge(store.lastSeq, OLD));
    // Without an attempt, the settlement itself takes a sequence.
    store.writeNow(() => store.deliveries.expire(settledLate.seq, NOW, store.nextSeq()));
    removeOld(store);
    expect(rowsOf(store, settledLate)).toEqual(kept);
    store.writeNow(() => store.retention.recordAge(store.lastSeq, OLD));
    removeOld(store);
    expect(rowsOf(store, settledLate)).toEqual(gone);
  });
});

describe('Retention.planRemovalToFit', () => {
  it('the oldest rows are deleted, until the rest fits', () => {
    const store = openStore();
    const places = store.writeNow(() => Array.from({ length: 3_000 }, () => insertDelivered(store, NOW)));
    const limit = store.retention.getUsedBytes() * 0.98;
    for (const remove of store.retention.planRemovalToFit(limit, store.lastSeq)) store.writeNow(remove);
    expect(store.retention.getUsedBytes()).toBeLessThanOrEqual(limit);
    const left = places.map((place) => rowsOf(store, place).delivery);
    const firstKept = left.indexOf(true);
    expect(firstKept).toBeGreaterThan(0);
    expect(left.slice(firstKept)).toEqual(left.slice(firstKept).fill(true));
    // No more than one write of 500 rows beyond what is needed.
    expect(firstKept).toBeLessThanOrEqual(500);
  });

  it('nothing is deleted if the rows fit exactly, and headers and bodies are deleted first', () => {
    const store = openStore();
    const delivered = insertDelivered(store, NOW);
    const requests = store.writeNow(() => {
      const key = insertApiKey(store);
      return Array.from({ length: 3 }, () => insertRequest(store, NOW, key));
    });
    const countMessages = () => requests.filter((seq) => store.apiRequests.findMessages(seq)).length;
    const used = store.retention.getUsedBytes();
    expect([...store.retention.planRemovalToFit(used, store.lastSeq)]).toEqual([]);
    const [first] = store.retention.planRemovalToFit(used - 1, store.lastSeq);
    store.writeNow(() => first?.());
    expect([countMessages(), rowsOf(store, delivered)]).toEqual([0, kept]);
    for (const remove of store.retention.planRemovalToFit(0, store.lastSeq)) store.writeNow(remove);
    expect([store.apiRequests.findBySeq(requests[2] ?? 0), rowsOf(store, delivered)]).toEqual([
      undefined,
      gone,
    ]);
  });

  it('the rows that were inserted after the start of the removal are kept', () => {
    const store = openStore();
    const before = insertDelivered(store, NOW);
    const { lastSeq } = store;
    const after = insertDelivered(store, NOW);
    for (const remove of store.retention.planRemovalToFit(0, lastSeq)) store.writeNow(remove);
    expect([rowsOf(store, before), rowsOf(store, after)]).toEqual([gone, kept]);
  });

  it('pending deliveries and their events are kept, however large they are [storage.size]', () => {
    const store = openStore();
    const pending = Array.from({ length: 5 }, () => insertDelivered(store, NOW, 'pending'));
    const settled = Array.from({ length: 5 }, () => insertDelivered(store, NOW));
    for (const remove of store.retention.planRemovalToFit(0, store.lastSeq)) store.writeNow(remove);
    expect(pending.map((place) => rowsOf(store, place))).toEqual(pending.map(() => kept));
    expect(settled.map((place) => rowsOf(store, place))).toEqual(settled.map(() => gone));
  });
});

describe('an emulator with default retention limits', () => {
  it('the status contains the default limits [storage.size]', async () => {
    await using emulator = await startTestEmulator();
    expect(emulator.status().retention).toEqual({ days: 30, requests: 100_000, megabytes: 1024 });
  });

  it('null limits keep all rows', async () => {
    const limits = { keepDays: null, keepRequests: null, keepMegabytes: null };
    await using emulator = await startTestEmulator(limits);
    expect(emulator.status().retention).toEqual({ days: null, requests: null, megabytes: null });
  });
});

describe('an emulator with keepDays: 7', () => {
  it('older events are deleted at boot', async () => {
    const db = `${createTemporaryFolder()}/sandbox.db`;
    const wall = createTestWallClock();
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
      // Writes the request log, whose rows tell the age of others.
      await emulator.control.listRequests({ limit: 1 });
      wall.advance(8 * DAY_MS);
      await emulator.api('POST', '/events', { type: 'a.new' });
      await emulator.control.settleClock({});
      expect(await list(emulator)).toEqual(['a.new', 'a.old']);
    }
    await using emulator = await startTestEmulator({ db, wall, keepDays: 7 });
    await expect.poll(() => list(emulator)).toEqual(['a.new']);
  });
});

describe('the headers and bodies of logged requests', () => {
  /** Inserts requests with an API key. There is a lower limit for those without one. */
  function insertRequests(store: Store, count: number): number[] {
    return store.writeNow(() => {
      const key = insertApiKey(store);
      return Array.from({ length: count }, () => insertRequest(store, NOW, key));
    });
  }

  /** Runs the steps of `plan`, and returns the requests that still have their headers and bodies. */
  function keptMessages(store: Store, seqs: readonly number[], plan: Iterable<() => void>): number[] {
    for (const remove of plan) store.writeNow(remove);
    return seqs.filter((seq) => store.apiRequests.findMessages(seq) !== undefined);
  }

  it('the newest requests keep their headers and bodies, and the others only their row', () => {
    const store = openStore();
    const seqs = insertRequests(store, KEPT_MESSAGES + 3);
    expect(keptMessages(store, seqs, store.retention.planMessageRemoval())).toEqual(seqs.slice(3));
    expect(seqs.filter((seq) => store.apiRequests.findBySeq(seq))).toHaveLength(seqs.length);
  });

  it('they are removed with their request', () => {
    const store = openStore();
    const seqs = insertRequests(store, 5);
    expect(keptMessages(store, seqs, store.retention.planRemovalBeyond(2))).toEqual(seqs.slice(3));
    const old = openStore();
    const oldSeqs = old.writeNow(() => [
      insertRequest(old, OLD),
      insertRequest(old, OLD),
      insertRequest(old),
    ]);
    expect(keptMessages(old, oldSeqs, old.retention.planRemovalBefore(NOW - DAY_MS))).toEqual(
      oldSeqs.slice(1),
    );
  });
});
