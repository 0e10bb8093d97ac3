import { describe, expect, it, vi } from 'vitest';
import type { AttemptFilter } from '../../src/store/attempts.ts';
import type { DeliveryFilter } from '../../src/store/delivery-queries.ts';
import type { Store } from '../../src/store/store.ts';
import { Database } from '../support/sqlite.ts';
import {
  insertAttempt,
  insertDeliveries,
  insertDelivery,
  insertEvent,
  insertWebhook,
  NOW,
  openStore,
} from './rows.ts';

const any: DeliveryFilter = {
  workspaceSeq: null,
  status: null,
  eventId: null,
  type: null,
  webhookId: null,
  since: null,
  until: null,
  text: null,
};
const anyAttempt: AttemptFilter = { workspaceSeq: null, webhookId: null, deliveryId: null, since: null };
const page = { limit: 100, beforeSeq: null };
const settle = (store: Store, seq: number, status: 'succeeded' | 'failed') =>
  store.writeNow(() =>
    store.deliveries.change({
      ...store.deliveries.getProgress(seq),
      ...{ status, due_at: null, settled_at: NOW, settled_reason: null, on_schedule: 0 },
    }),
  );

describe('the deliveries of an endpoint', () => {
  it('are taken in the order in which they are due, those of one instant in the order of creation', () => {
    const store = openStore();
    const { webhook, deliveries } = insertDeliveries(store, [NOW + 5, NOW, NOW + 6, NOW]);
    const [late, first, tooLate, second] = deliveries;
    expect(store.deliveries.listDue(webhook, NOW + 5, 10)).toEqual([first, second, late]);
    expect(store.deliveries.listDue(webhook, NOW + 5, 1)).toEqual([first]);
    expect(store.deliveries.listDue(webhook, NOW - 1, 10)).toEqual([]);
    expect(store.deliveries.findNextDueAt(webhook, NOW + 5)).toBe(NOW + 6);
    expect(store.deliveries.findNextDueAt(webhook, NOW + 6)).toBeUndefined();
    expect(tooLate).toBeDefined();
  });

  it('are no longer taken once they have settled', () => {
    const store = openStore();
    const { webhook, deliveries } = insertDeliveries(store, [NOW]);
    const [seq = 0] = deliveries;
    expect(store.deliveries.findSendable(seq)).toMatchObject({ seq, due_at: NOW, secret: 'whsec_a' });
    settle(store, seq, 'succeeded');
    expect(store.deliveries.findSendable(seq)).toBeUndefined();
    expect(store.deliveries.listDue(webhook, NOW, 10)).toEqual([]);
    expect(store.deliveries.countPending()).toBe(0);
  });

  it('are canceled where they are pending, and numbered in order', async () => {
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
        ...{ status: 'canceled', settled_reason: 'endpoint_deleted', settled_at: NOW + 1 },
        ...{ due_at: null, settled_seq: before + rank + 1 },
      });
    }
  });

  it('expire only while they wait for the schedule: not once canceled, and not where a replay was asked for', () => {
    const store = openStore();
    const { webhook, deliveries } = insertDeliveries(store, [NOW, NOW, NOW]);
    const [expired = 0, replayed = 0, canceled = 0] = deliveries;
    const expire = (seq: number) => store.deliveries.expire(seq, NOW + 1, store.nextSeq());
    store.writeNow(() => {
      expire(expired);
      store.deliveries.askReplay(replayed, NOW);
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

  it('are read without a look at any other', () => {
    const store = openStore();
    expect(
      store.explain(
        'SELECT seq FROM deliveries WHERE webhook_seq = 1 AND due_at <= 9 ORDER BY due_at, seq LIMIT 9',
      ),
    ).toEqual(['SEARCH deliveries USING COVERING INDEX deliveries_due (webhook_seq=? AND due_at<?)']);
    expect(
      store.explain(
        'SELECT due_at FROM deliveries WHERE webhook_seq = 1 AND due_at > 9 ORDER BY due_at LIMIT 1',
      ),
    ).toEqual(['SEARCH deliveries USING COVERING INDEX deliveries_due (webhook_seq=? AND due_at>?)']);
  });
});

describe('a list of deliveries', () => {
  function fill() {
    const store = openStore();
    const { workspace, webhook, event, deliveries } = insertDeliveries(store, [NOW, NOW]);
    const [failed = 0, pending = 0] = deliveries;
    settle(store, failed, 'failed');
    const later = store.writeNow(() => {
      const paid = insertEvent(store, workspace, { type: 'invoice.paid' });
      const other = insertWebhook(store, workspace, { url: 'http://127.0.0.1:8/' });
      return insertDelivery(store, { event: paid, webhook: other, workspace }, { created_at: NOW + 1 });
    });
    return { store, workspace, webhook, event, failed, pending, later };
  }

  it('is newest first, in pages that go on below the cursor', async () => {
    const { store, failed, pending, later } = fill();
    const list = async (limit: number, beforeSeq: number | null) => {
      const { rows, hasMore } = await store.deliveryQueries.list(any, { limit, beforeSeq });
      return [rows.map(({ seq }) => seq), hasMore];
    };
    expect(await list(100, null)).toEqual([[later, pending, failed], false]);
    expect(await list(2, null)).toEqual([[later, pending], true]);
    expect(await list(2, pending)).toEqual([[failed], false]);
  });

  it('holds what the filters let through, alone and together', async () => {
    const { store, workspace, webhook, event, failed, pending, later } = fill();
    const list = async (filter: Partial<DeliveryFilter>) =>
      (await store.deliveryQueries.list({ ...any, ...filter }, page)).rows.map(({ seq }) => seq);
    const { event_id: eventId, webhook_id: webhookId } = store.deliveryQueries.findBySeq(failed) ?? {};
    expect(await list({ status: 'failed' })).toEqual([failed]);
    expect(await list({ status: 'pending' })).toEqual([later, pending]);
    expect(await list({ type: 'invoice.paid' })).toEqual([later]);
    expect(await list({ eventId: eventId ?? '' })).toEqual([pending, failed]);
    expect(await list({ webhookId: webhookId ?? '' })).toEqual([pending, failed]);
    expect(await list({ since: NOW + 1 })).toEqual([later]);
    expect(await list({ until: NOW + 1 })).toEqual([pending, failed]);
    expect(await list({ text: 'voice.pa' })).toEqual([later]);
    expect(await list({ text: '127.0.0.1:9' })).toEqual([pending, failed]);
    expect(await list({ text: String(eventId).toLowerCase() })).toEqual([pending, failed]);
    expect(await list({ text: 'shipped', status: 'failed' })).toEqual([failed]);
    expect(
      await list({ workspaceSeq: workspace, status: 'failed', type: 'order.shipped', since: NOW }),
    ).toEqual([failed]);
    expect(await list({ workspaceSeq: workspace + 1 })).toEqual([]);
    expect(await list({ eventId: 'evt_none' })).toEqual([]);
    expect([webhook, event]).not.toContain(0);
  });

  it.each<[string, Partial<DeliveryFilter>, string]>([
    ['all', {}, 'INTEGER PRIMARY KEY (rowid<?)'],
    ['of a workspace', { workspaceSeq: 1 }, 'INDEX deliveries_by_workspace (workspace_seq=? AND rowid<?)'],
    [
      'failed ones',
      { workspaceSeq: 1, status: 'failed' },
      'INDEX deliveries_failed (workspace_seq=? AND rowid<?)',
    ],
    ['of an endpoint', { webhookId: 'wh_1' }, 'INDEX deliveries_by_webhook (webhook_seq=? AND rowid<?)'],
    ['of an event', { eventId: 'evt_1' }, 'INDEX deliveries_by_event (event_seq=? AND rowid<?)'],
  ])('costs the same however large the table is: %s', async (_, filter, index) => {
    const store = openStore();
    const prepare = vi.spyOn(Database.prototype, 'prepare');
    await store.deliveryQueries.list({ ...any, ...filter }, page);
    const [sql = ''] = prepare.mock.calls[0] ?? [];
    prepare.mockRestore();
    const plan = store.explain(sql.replace(/@\w+/g, '9'));
    expect(plan).toContain(`SEARCH d USING ${index}`);
    expect(plan.filter((step) => /SCAN|TEMP B-TREE/.test(step))).toEqual([]);
  });
});

describe('the attempts of a delivery', () => {
  it('are listed in order, each number once', () => {
    const store = openStore();
    const [seq = 0] = insertDeliveries(store, [NOW]).deliveries;
    store.writeNow(() => [insertAttempt(store, seq, 2), insertAttempt(store, seq, 1)]);
    expect(store.attempts.listByDelivery(seq).map(({ number }) => number)).toEqual([1, 2]);
    expect(() => store.writeNow(() => insertAttempt(store, seq, 2))).toThrow('UNIQUE');
  });
});

describe('a list of attempts', () => {
  it.each<[string, Partial<AttemptFilter>, string]>([
    ['all', {}, 'INTEGER PRIMARY KEY (rowid<?)'],
    ['of an endpoint', { webhookId: 'wh_1' }, 'INDEX attempts_by_webhook (webhook_seq=? AND rowid<?)'],
  ])('costs the same however large the table is: %s', async (_, filter, index) => {
    const store = openStore();
    const prepare = vi.spyOn(Database.prototype, 'prepare');
    await store.attempts.list({ ...anyAttempt, ...filter }, page);
    const [sql = ''] = prepare.mock.calls[0] ?? [];
    prepare.mockRestore();
    const plan = store.explain(sql.replace(/@\w+/g, '9'));
    expect(plan).toContain(`SEARCH a USING COVERING ${index}`.replace('COVERING INTEGER', 'INTEGER'));
    expect(plan.filter((step) => /SCAN|TEMP B-TREE/.test(step))).toEqual([]);
  });
});
