import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/domain/duration.ts';
import { KEPT_REQUESTS } from '../../src/store/retention.ts';
import type { Store } from '../../src/store/store.ts';
import { explainPrepared } from './query-plan.ts';
import {
  insertApiKey,
  insertAttempt,
  insertDelivery,
  insertEvent,
  insertRequest,
  insertWebhook,
  insertWorkspace,
  NOW,
  openStore,
} from './rows.ts';

const OLD = NOW - 8 * DAY_MS;

/** A delivery of an event that was stored at `storedAt`, with one attempt, and settled by it unless `status` says otherwise. */
function insertDelivered(store: Store, storedAt: number, status: 'succeeded' | 'pending' = 'succeeded') {
  return store.writeNow(() => {
    const workspace = insertWorkspace(store);
    const webhook = insertWebhook(store, workspace);
    // The schedule time of all of them is the same: it tells nothing of their age.
    const event = insertEvent(store, workspace, { stored_at_wall: storedAt });
    const seq = insertDelivery(store, { event, webhook, workspace });
    insertAttempt(store, seq, 1, storedAt);
    if (status === 'succeeded') settle(store, seq);
    return { workspace, webhook, event, seq };
  });
}

function settle(store: Store, seq: number): void {
  const settled = { status: 'succeeded', due_at: null, settled_at: NOW, settled_reason: null } as const;
  const before = store.deliveries.getProgress(seq);
  store.deliveries.update({ ...before, ...settled });
}

const NO_LIMITS = { since: null, maxSize: null };

/** Deletes what is beyond the limits. @returns the number of writes that it took */
function remove(store: Store, limits: Partial<Parameters<Store['retention']['planRemoval']>[0]>): number {
  let writes = 0;
  for (const step of store.retention.planRemoval({ ...NO_LIMITS, ...limits })) {
    store.writeNow(step);
    writes++;
  }
  return writes;
}
const removeOld = (store: Store) => remove(store, { since: NOW - 7 * DAY_MS });

/** Which of its rows are still there. */
function rowsOf(store: Store, { seq, workspace }: { seq: number; workspace: number }) {
  const workspace_id = store.workspaces.findBySeq(workspace)?.id;
  return {
    delivery: store.deliveryQueries.findBySeq(seq) !== undefined,
    attempts: store.attempts.listByDelivery(seq).length,
    events: store.events.list({ workspace_id }, { limit: 10, beforeSeq: null }).rows.length,
  };
}

const gone = { delivery: false, attempts: 0, events: 0 };
const kept = { delivery: true, attempts: 1, events: 1 };

describe('Retention.planRemoval by age', () => {
  it('what is exactly as old as the limit is kept', () => {
    const limit = NOW - 7 * DAY_MS;
    const store = openStore();
    const [before, exactly] = [insertDelivered(store, limit - 1), insertDelivered(store, limit)];
    const requests = [insertRequest(store, limit - 1), insertRequest(store, limit)];
    removeOld(store);
    expect([rowsOf(store, before), rowsOf(store, exactly)]).toEqual([gone, kept]);
    expect(requests.filter((seq) => store.apiRequests.findBySeq(seq))).toEqual(requests.slice(1));
  });

  it('an event is kept until its last delivery has settled', () => {
    const store = openStore();
    const pending = insertDelivered(store, OLD, 'pending');
    store.writeNow(() => settle(store, insertDelivery(store, pending)));
    removeOld(store);
    expect(rowsOf(store, pending)).toEqual(kept);
    settle(store, pending.seq);
    removeOld(store);
    expect(rowsOf(store, pending)).toEqual(gone);
  });

  it('an event that was stored or sent later is kept, whatever its schedule time', () => {
    const store = openStore();
    const sentAgain = insertDelivered(store, OLD);
    insertAttempt(store, sentAgain.seq, 2, NOW);
    const young = insertDelivered(store, NOW);
    removeOld(store);
    expect(rowsOf(store, sentAgain)).toEqual({ ...kept, attempts: 2 });
    expect(rowsOf(store, young)).toEqual(kept);
  });

  it('the original of a replay is kept as long as the replay is pending', () => {
    const store = openStore();
    const original = insertDelivered(store, OLD);
    const copy = store.nextSeq();
    const columns = { id: 'del_copy', created_at: NOW, own_url: null, own_body: null };
    store.deliveries.insertCopy({ ...columns, seq: copy, replay_of_seq: original.seq });
    removeOld(store);
    expect(rowsOf(store, original)).toEqual(kept);
    settle(store, copy);
    removeOld(store);
    expect(rowsOf(store, original)).toEqual(gone);
  });

  it('each write deletes 200 events', () => {
    const store = openStore();
    const places = store.writeNow(() => Array.from({ length: 450 }, () => insertDelivered(store, OLD)));
    expect(removeOld(store)).toBe(3);
    expect(places.filter(({ seq }) => store.deliveryQueries.findBySeq(seq))).toEqual([]);
    expect(removeOld(store)).toBe(0);
  });

  it('indexes find the deliveries of an event and their attempts', async () => {
    const store = openStore();
    insertDelivered(store, OLD);
    const plans = await explainPrepared(
      /d\.event_seq = e\.seq|DELETE FROM (attempts|deliveries|events)/,
      () => remove(store, { maxSize: 0 }),
    );
    expect(plans).toHaveLength(4);
    for (const { steps } of plans)
      expect(steps.filter((step) => /^SCAN (?!json_each)/.test(step))).toEqual([]);
  });
});

it('only the oldest logged requests are deleted', () => {
  const store = openStore();
  const delivered = insertDelivered(store, OLD);
  const requests = store.writeNow(() =>
    Array.from({ length: KEPT_REQUESTS + 300 }, () => insertRequest(store, NOW)),
  );
  remove(store, {});
  expect(requests.filter((seq) => store.apiRequests.findBySeq(seq))).toEqual(requests.slice(300));
  expect(rowsOf(store, delivered)).toEqual(kept);
  expect(remove(store, {})).toBe(0);
});

describe('Retention.planRemoval by size', () => {
  it('the oldest rows are deleted, until the rest fits', () => {
    const store = openStore();
    const places = store.writeNow(() => Array.from({ length: 3_000 }, () => insertDelivered(store, NOW)));
    const limit = store.retention.getUsedSize() * 0.98;
    remove(store, { maxSize: limit });
    expect(store.retention.getUsedSize()).toBeLessThanOrEqual(limit);
    const left = places.map((place) => rowsOf(store, place).delivery);
    const firstKept = left.indexOf(true);
    expect(firstKept).toBeGreaterThan(0);
    expect(left.slice(firstKept)).toEqual(left.slice(firstKept).fill(true));
    // No more than one write beyond what is needed.
    expect(firstKept).toBeLessThanOrEqual(400);
  });

  it('nothing is deleted if the rows fit exactly, and logged requests are deleted first', () => {
    const store = openStore();
    const delivered = insertDelivered(store, NOW);
    const requests = store.writeNow(() => {
      const key = insertApiKey(store);
      return Array.from({ length: 3 }, () => insertRequest(store, NOW, key));
    });
    const countRequests = () => requests.filter((seq) => store.apiRequests.findBySeq(seq)).length;
    const used = store.retention.getUsedSize();
    expect(remove(store, { maxSize: used })).toBe(0);
    const [first] = store.retention.planRemoval({ ...NO_LIMITS, maxSize: used - 1 });
    store.writeNow(() => first?.());
    expect([countRequests(), rowsOf(store, delivered)]).toEqual([0, kept]);
    remove(store, { maxSize: 0 });
    expect(rowsOf(store, delivered)).toEqual(gone);
  });

  it('pending deliveries and their events are kept, however large they are [storage.size]', () => {
    const store = openStore();
    const pending = Array.from({ length: 5 }, () => insertDelivered(store, NOW, 'pending'));
    const settled = Array.from({ length: 5 }, () => insertDelivered(store, NOW));
    remove(store, { maxSize: 0 });
    expect(pending.map((place) => rowsOf(store, place))).toEqual(pending.map(() => kept));
    expect(settled.map((place) => rowsOf(store, place))).toEqual(settled.map(() => gone));
  });

  it('free pages are not used bytes', () => {
    const store = openStore();
    const before = store.retention.getUsedSize();
    store.settings.set('large', 'x'.repeat(200_000));
    expect(store.retention.getUsedSize()).toBeGreaterThan(before + 190_000);
    store.settings.set('large', '');
    expect(store.retention.getUsedSize()).toBe(before);
  });
});
