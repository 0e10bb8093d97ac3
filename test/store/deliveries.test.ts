import { describe, expect, it } from 'vitest';
import type { DeliveryCondition } from '../../src/resources/delivery.ts';
import type { Store } from '../../src/store/store.ts';
import { explainPrepared } from './query-plan.ts';
import { insertAttempt, insertDeliveries, NOW, openStore } from './rows.ts';

const page = { limit: 100, beforeSeq: null };
const settle = (store: Store, seq: number, status: 'succeeded' | 'failed') =>
  store.writeNow(() => {
    const before = store.deliveries.getProgress(seq);
    const settled = { status, due_at: null, settled_at: NOW, settled_reason: null, on_schedule: 0 } as const;
    store.deliveries.update({ ...before, ...settled });
  });

describe('DeliveryTable', () => {
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

  it('the attempts of a clock move are found by their sequence, without reading other deliveries', async () => {
    const { attempts } = openStore();
    const plans = await explainPrepared(/d\.workspace_seq = \?/, () => {
      attempts.listByWorkspace(1, 1);
    });
    for (const { steps } of plans) {
      const [first, ...joined] = steps;
      expect(first).toBe('SEARCH a USING INTEGER PRIMARY KEY (rowid>?)');
      for (const step of joined) expect(step).toMatch(/^SEARCH [deh] USING .*rowid=\?\)$/);
    }
    expect(plans).toHaveLength(1);
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

it.each<[string, DeliveryCondition, string]>([
  ['all', {}, 'INTEGER PRIMARY KEY (rowid<?)'],
  ['of a workspace', { workspace_id: 'ws_1' }, 'INDEX deliveries_by_workspace (workspace_seq=? AND rowid<?)'],
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
  const [plan] = await explainPrepared(/LIMIT @limit/, () => store.deliveryQueries.list(filter, page));
  expect(plan?.steps).toContain(`SEARCH d USING ${index}`);
  expect(plan?.steps.filter((step) => /SCAN|TEMP B-TREE/.test(step))).toEqual([]);
});

it('attempts are listed by number, and a number cannot occur twice', () => {
  const store = openStore();
  const [seq = 0] = insertDeliveries(store, [NOW]).deliveries;
  store.writeNow(() => [insertAttempt(store, seq, 2), insertAttempt(store, seq, 1)]);
  expect(store.attempts.listByDelivery(seq).map(({ number }) => number)).toEqual([1, 2]);
  expect(() => store.writeNow(() => insertAttempt(store, seq, 2))).toThrow('UNIQUE');
});
