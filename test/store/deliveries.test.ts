import { describe, expect, it } from 'vitest';
import type { DeliveryCondition } from '../../src/contract/list-filters.ts';
import type { StoredAttemptFilter } from '../../src/store/attempts.ts';
import type { Store } from '../../src/store/store.ts';
import { explainPrepared } from './query-plan.ts';
import {
  insertAttempt,
  insertDeliveries,
  insertDelivery,
  insertEvent,
  insertWebhook,
  NOW,
  openStore,
} from './rows.ts';

const page = { limit: 100, beforeSeq: null };
const settle = (store: Store, seq: number, status: 'succeeded' | 'failed') =>
  store.writeNow(() => {
    const before = store.deliveries.getProgress(seq);
    const settled = { status, due_at: null, settled_at: NOW, settled_reason: null, on_schedule: 0 } as const;
    store.deliveries.update({ ...before, ...settled });
  });

describe('DeliveryTable', () => {
  it('listDue orders deliveries by due time, then by creation', () => {
    const store = openStore();
    const { webhook, deliveries, workspace } = insertDeliveries(store, [NOW + 5, NOW, NOW + 6, NOW]);
    const [late, first, tooLate, second] = deliveries;
    expect(store.deliveries.listDue(webhook, NOW + 5, 10)).toEqual([first, second, late]);
    expect(store.deliveries.listDue(webhook, NOW + 5, 1)).toEqual([first]);
    expect(store.deliveries.listDue(webhook, NOW - 1, 10)).toEqual([]);
    expect(store.deliveries.findNextDueAt(workspace, NOW + 5)).toBe(NOW + 6);
    expect(store.deliveries.findNextDueAt(workspace, NOW + 6)).toBeNull();
    expect(tooLate).toBeDefined();
  });

  it('settled deliveries are not due', () => {
    const store = openStore();
    const { webhook, deliveries } = insertDeliveries(store, [NOW]);
    const [seq = 0] = deliveries;
    expect(store.deliveries.findSendable(seq)).toMatchObject({ seq, due_at: NOW, secret: 'whsec_a' });
    settle(store, seq, 'succeeded');
    expect(store.deliveries.findSendable(seq)).toBeUndefined();
    expect(store.deliveries.listDue(webhook, NOW, 10)).toEqual([]);
    expect(store.deliveries.countPending()).toBe(0);
  });

  it('the progress of a delivery that does not exist is an error', () => {
    expect(() => openStore().deliveries.getProgress(0)).toThrow('delivery 0 does not exist');
  });

  it('the number of pending deliveries follows every change', async () => {
    const store = openStore();
    const { webhook, deliveries, workspace } = insertDeliveries(store, [NOW, NOW, NOW, NOW]);
    const [first = 0, second = 0, third = 0] = deliveries;
    const count = () => [store.deliveries.countPending(), store.deliveries.countPending(workspace)];
    expect(count()).toEqual([4, 4]);
    const other = insertDeliveries(store, [NOW]);
    expect(count()).toEqual([5, 4]);
    settle(store, first, 'succeeded');
    expect(count()).toEqual([4, 3]);
    await store.write(() => store.deliveries.expire(second, NOW, store.nextSeq()));
    await store.write(() => store.deliveries.expire(second, NOW, store.nextSeq()));
    expect(count()).toEqual([3, 2]);
    await store.write(() => store.deliveries.requestReplay(first, NOW));
    await store.write(() => store.deliveries.requestReplay(third, NOW));
    expect(count()).toEqual([4, 3]);
    await store.write(() => {
      const copy = { seq: store.nextSeq(), id: 'del_copy', created_at: NOW, own_url: null, own_body: null };
      store.deliveries.insertCopy({ ...copy, replay_of_seq: first });
    });
    expect(count()).toEqual([5, 4]);
    const failure = store.write(() => {
      store.deliveries.expire(third, NOW, store.nextSeq());
      throw new Error('failed');
    });
    await expect(failure).rejects.toThrow('failed');
    expect(count()).toEqual([5, 4]);
    await store.write(() => store.cancelDeliveries(webhook, NOW));
    expect(count()).toEqual([1, 0]);
    settle(store, other.deliveries[0] ?? 0, 'failed');
    expect(count()).toEqual([0, 0]);
  });

  it('cancelDeliveries cancels the pending deliveries and numbers the cancellations in order', async () => {
    const store = openStore();
    const { webhook, deliveries } = insertDeliveries(store, [NOW + 9, NOW, NOW + 3]);
    const [first = 0, done = 0, last = 0] = deliveries;
    settle(store, done, 'succeeded');
    const before = store.lastSeq;
    expect(await store.write(() => store.cancelDeliveries(webhook, NOW + 1))).toBe(2);
    expect(store.deliveryQueries.findBySeq(done)).toMatchObject({
      status: 'succeeded',
      settled_reason: null,
    });
    for (const [rank, seq] of [first, last].entries()) {
      expect(store.deliveryQueries.findBySeq(seq)).toMatchObject({
        status: 'canceled',
        settled_reason: 'endpoint_deleted',
        settled_at: NOW + 1,
        due_at: null,
        settled_seq: before + rank + 1,
      });
    }
  });

  it('expire has no effect on a canceled delivery or one that waits for a replay', () => {
    const store = openStore();
    const { webhook, deliveries } = insertDeliveries(store, [NOW, NOW, NOW]);
    const [expired = 0, replayed = 0, canceled = 0] = deliveries;
    const expire = (seq: number) => store.deliveries.expire(seq, NOW + 1, store.nextSeq());
    store.writeNow(() => {
      expire(expired);
      store.deliveries.requestReplay(replayed, NOW);
      expire(replayed);
      store.cancelDeliveries(webhook, NOW);
      expire(canceled);
    });
    const statusOf = (seq: number) => store.deliveryQueries.findBySeq(seq);
    expect(statusOf(expired)).toMatchObject({
      status: 'failed',
      settled_reason: 'window_elapsed',
      due_at: null,
    });
    expect(statusOf(replayed)).toMatchObject({ status: 'canceled', settled_reason: 'endpoint_deleted' });
    expect(statusOf(canceled)).toMatchObject({ status: 'canceled', settled_reason: 'endpoint_deleted' });
  });

  it('the attempts of a clock move are found by their sequence, without reading other deliveries', async () => {
    const { attempts } = openStore();
    const plans = await explainPrepared(/d\.workspace_seq = \?/, () => {
      attempts.listByWorkspace(1, 1);
      attempts.countByWorkspace(1, 1);
    });
    for (const { steps } of plans) {
      const [first, ...joined] = steps;
      expect(first).toBe('SEARCH a USING INTEGER PRIMARY KEY (rowid>?)');
      for (const step of joined) expect(step).toMatch(/^SEARCH [deh] USING .*rowid=\?\)$/);
    }
    expect(plans).toHaveLength(2);
  });

  it('due deliveries, due endpoints and next due times are searched in an index of the endpoint', async () => {
    const { deliveries } = openStore();
    const plans = await explainPrepared(/due_at (<=|>) \?/, () => {
      deliveries.listDue(1, NOW, 1);
      deliveries.listDueEndpoints(1, NOW);
      deliveries.findNextDueAt(1, NOW);
    });
    const searches = plans.map(({ steps }) => steps.filter((step) => step.includes('deliver')));
    expect(searches).toEqual([
      ['SEARCH d USING COVERING INDEX deliveries_due (webhook_seq=? AND due_at<?)'],
      ['SEARCH deliveries EXISTS USING COVERING INDEX deliveries_due (webhook_seq=? AND due_at<?)'],
      ['SEARCH deliveries USING COVERING INDEX deliveries_due (webhook_seq=? AND due_at>?)'],
    ]);
    for (const { steps } of plans) expect(steps.join()).not.toMatch(/SCAN|TEMP B-TREE/);
  });
});

describe('DeliveryQueries.list', () => {
  function fill() {
    const store = openStore();
    const { workspace, webhook, event, deliveries } = insertDeliveries(store, [NOW, NOW]);
    const [failed = 0, pending = 0] = deliveries;
    settle(store, failed, 'failed');
    const later = store.writeNow(() => {
      const paid = insertEvent(store, workspace, { type: 'invoice.paid' });
      const secondWebhook = insertWebhook(store, workspace, { url: 'http://127.0.0.1:8/' });
      return insertDelivery(
        store,
        { event: paid, webhook: secondWebhook, workspace },
        { created_at: NOW + 1 },
      );
    });
    return { store, workspace, webhook, event, failed, pending, later };
  }

  it('the list is newest first and continues below the cursor', async () => {
    const { store, failed, pending, later } = fill();
    const list = async (limit: number, beforeSeq: number | null) => {
      const { rows, hasMore } = await store.deliveryQueries.list({}, { limit, beforeSeq });
      return [rows.map(({ seq }) => seq), hasMore];
    };
    expect(await list(100, null)).toEqual([[later, pending, failed], false]);
    expect(await list(2, null)).toEqual([[later, pending], true]);
    expect(await list(2, pending)).toEqual([[failed], false]);
  });

  it('the list applies each filter and combinations of filters', async () => {
    const { store, webhook, event, failed, pending, later } = fill();
    const list = async (filter: DeliveryCondition) =>
      (await store.deliveryQueries.list(filter, page)).rows.map(({ seq }) => seq);
    const { event_id, webhook_id, workspace_id } = store.deliveryQueries.findBySeq(failed) ?? {};
    expect(await list({ status: 'failed' })).toEqual([failed]);
    expect(await list({ status: 'pending' })).toEqual([later, pending]);
    expect(await list({ type: 'invoice.paid' })).toEqual([later]);
    expect(await list({ event_id })).toEqual([pending, failed]);
    expect(await list({ webhook_id })).toEqual([pending, failed]);
    expect(await list({ since: NOW + 1 })).toEqual([later]);
    expect(await list({ until: NOW + 1 })).toEqual([pending, failed]);
    expect(await list({ text: 'voice.pa' })).toEqual([later]);
    expect(await list({ text: '127.0.0.1:9' })).toEqual([pending, failed]);
    expect(await list({ text: String(event_id).toLowerCase() })).toEqual([pending, failed]);
    expect(await list({ text: 'shipped', status: 'failed' })).toEqual([failed]);
    expect(await list({ workspace_id, status: 'failed', type: 'order.shipped', since: NOW })).toEqual([
      failed,
    ]);
    expect(await list({ workspace_id: 'ws_none' })).toEqual([]);
    expect(await list({ event_id: 'evt_none' })).toEqual([]);
    expect([webhook, event]).not.toContain(0);
  });

  it.each<[string, DeliveryCondition, string]>([
    ['all', {}, 'INTEGER PRIMARY KEY (rowid<?)'],
    [
      'of a workspace',
      { workspace_id: 'ws_1' },
      'INDEX deliveries_by_workspace (workspace_seq=? AND rowid<?)',
    ],
    [
      'failed ones',
      { workspace_id: 'ws_1', status: 'failed' },
      'INDEX deliveries_failed (workspace_seq=? AND rowid<?)',
    ],
    [
      'failing ones',
      { workspace_id: 'ws_1', status: 'failing' },
      'INDEX deliveries_attempted (workspace_seq=? AND rowid<?)',
    ],
    ['of an endpoint', { webhook_id: 'wh_1' }, 'INDEX deliveries_by_webhook (webhook_seq=? AND rowid<?)'],
    ['of an event', { event_id: 'evt_1' }, 'INDEX deliveries_by_event (event_seq=? AND rowid<?)'],
  ])('a page is a search in an index without sorting: %s', async (_, filter, index) => {
    const store = openStore();
    const [plan] = await explainPrepared(/^SELECT d\.seq .*LIMIT @limit/s, () =>
      store.deliveryQueries.list(filter, page),
    );
    expect(plan?.steps).toContain(`SEARCH d USING ${index}`);
    expect(plan?.steps.filter((step) => /SCAN|TEMP B-TREE/.test(step))).toEqual([]);
  });
});

describe('AttemptTable.listByDelivery', () => {
  it('attempts are listed by number, and a number cannot occur twice', () => {
    const store = openStore();
    const [seq = 0] = insertDeliveries(store, [NOW]).deliveries;
    store.writeNow(() => [insertAttempt(store, seq, 2), insertAttempt(store, seq, 1)]);
    expect(store.attempts.listByDelivery(seq).map(({ number }) => number)).toEqual([1, 2]);
    expect(() => store.writeNow(() => insertAttempt(store, seq, 2))).toThrow('UNIQUE');
  });
});

describe('AttemptTable.list', () => {
  it.each<[string, StoredAttemptFilter, string]>([
    ['all', {}, 'INTEGER PRIMARY KEY (rowid<?)'],
    ['of an endpoint', { webhook_id: 'wh_1' }, 'INDEX attempts_by_webhook (webhook_seq=? AND rowid<?)'],
  ])('a page is a search in an index without sorting: %s', async (_, filter, index) => {
    const store = openStore();
    const [plan] = await explainPrepared(/^SELECT a\.seq .*LIMIT @limit/s, () =>
      store.attempts.list(filter, page),
    );
    expect(plan?.steps).toContain(`SEARCH a USING COVERING ${index}`.replace('COVERING INTEGER', 'INTEGER'));
    expect(plan?.steps.filter((step) => /SCAN|TEMP B-TREE/.test(step))).toEqual([]);
  });
});
