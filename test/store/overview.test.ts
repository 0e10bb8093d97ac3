/** The aggregates of the overview: their values, and the indexes that they read. */
import { expect, it } from 'vitest';
import { toDistance, toPart } from '../../src/domain/timeline-scale.ts';
import type { AttemptRow } from '../../src/store/attempts.ts';
import { explainPrepared } from './query-plan.ts';
import { insertAttempt, insertDeliveries, NOW, openStore } from './rows.ts';

/** An endpoint with a delivery for each attempt. */
function openStoreWith(attempts: readonly Partial<AttemptRow>[]) {
  const store = openStore();
  const { deliveries, webhook, workspace } = insertDeliveries(
    store,
    attempts.map(() => NOW),
  );
  const seqs = attempts.map((attempt, index) =>
    store.writeNow(() => insertAttempt(store, deliveries[index] ?? 0, attempt.number ?? 1, NOW, attempt)),
  );
  return { store, webhook, workspace, seqs };
}

it.each([1, 19, 20, 21, 40, 200])(
  'summarizeNewest returns the durations that 50 %% and 95 %% of %d attempts do not exceed',
  (count) => {
    const durations = Array.from({ length: count }, (_, index) => index + 1);
    const { store, webhook } = openStoreWith(durations.map((duration_ms) => ({ duration_ms })));
    const { p50_ms: p50, p95_ms: p95 } = store.attempts.summarizeNewest(webhook, 200);
    expect({ p50, p95 }).toEqual({ p50: Math.ceil(0.5 * count), p95: Math.ceil(0.95 * count) });
  },
);

it('listMarks reads only the index of the schedule of the endpoint, and its due deliveries', async () => {
  const store = openStore();
  const [plan] = await explainPrepared(/AS first_at/, () => store.deliveryQueries.listMarks(1, NOW));
  expect(plan?.steps).toContain(
    'SEARCH attempts USING COVERING INDEX attempts_scheduled (webhook_seq=? AND scheduled_at>?)',
  );
  expect(plan?.steps).toContain('SEARCH d USING INDEX deliveries_due (webhook_seq=? AND due_at>?)');
});

it('listMarks counts deliveries once for each part of the scale, at both sides of a time', () => {
  const [minute, hour] = [60_000, 3_600_000];
  const store = openStore();
  const { deliveries, webhook } = insertDeliveries(store, [
    NOW + 5 * minute,
    NOW + 5 * minute + 9,
    NOW + 72 * hour,
  ]);
  store.writeNow(() => {
    const [first = 0, second = 0] = deliveries;
    for (const [delivery, number, scheduled_at, outcome] of [
      [first, 1, NOW - 73 * hour, 'timeout'],
      [first, 2, NOW - 5 * minute, 'http_error'],
      [first, 3, NOW - 5 * minute + 1, 'succeeded'],
      [second, 1, NOW - 5 * minute + 2, 'succeeded'],
      [second, 2, NOW, 'timeout'],
      [second, 3, NOW + 5 * minute + 1, 'succeeded'],
    ] as const)
      insertAttempt(store, delivery, number, NOW, { scheduled_at, outcome });
  });
  const mark = { deliveries: 1, succeeded: 0, failed: 0, due: 0, due_first: 0 };
  expect(store.deliveryQueries.listMarks(webhook, NOW)).toEqual([
    {
      first_at: NOW - 5 * minute,
      last_at: NOW - 5 * minute + 2,
      deliveries: 2,
      succeeded: 2,
      failed: 1,
      due: 0,
      due_first: 0,
    },
    { ...mark, first_at: NOW, last_at: NOW, failed: 1 },
    {
      first_at: NOW + 5 * minute,
      last_at: NOW + 5 * minute + 9,
      deliveries: 2,
      succeeded: 1,
      failed: 0,
      due: 2,
      due_first: 2,
    },
    { ...mark, first_at: NOW + 72 * hour, last_at: NOW + 72 * hour, due: 1, due_first: 1 },
  ]);
});

it('listMarks makes a mark for each part of the scale that toPart names', () => {
  const store = openStore();
  const distances = Array.from({ length: 400 }, (_, index) => Math.round(toDistance(index / 400)));
  const times = [...distances, ...distances.map((ms) => ms + 1)].map((ms) => NOW + ms);
  const { webhook } = insertDeliveries(store, times);
  const counts = new Map<number, number>();
  for (const at of times) counts.set(toPart(at - NOW), (counts.get(toPart(at - NOW)) ?? 0) + 1);
  expect(
    store.deliveryQueries.listMarks(webhook, NOW).map(({ last_at, due }) => [toPart(last_at - NOW), due]),
  ).toEqual([...counts].sort(([a], [b]) => a - b));
});

it('summarizeNewest reads only the newest attempts of the endpoint, and sorts only those', async () => {
  const store = openStore();
  const [plan] = await explainPrepared(/AS p95_ms/, () => store.attempts.summarizeNewest(1, 200));
  expect(plan?.steps).toContain('SEARCH attempts USING INDEX attempts_by_webhook (webhook_seq=?)');
  expect(plan?.steps.filter((step) => step.startsWith('SCAN') && !step.startsWith('SCAN newest'))).toEqual(
    [],
  );
});

it('countByStatus stops at the limit and searches an index for each status', async () => {
  const { store, workspace } = openStoreWith([{}, {}, {}]);
  const plans = await explainPrepared(/SELECT count\(\*\) FROM \(SELECT 1/, () => {
    expect(store.deliveryQueries.countByStatus(workspace, 2)).toMatchObject({ pending: 2, failed: 0 });
  });
  expect(store.deliveryQueries.countByStatus(workspace, 9)).toMatchObject({ pending: 3 });
  const used = plans.flatMap(({ steps }) =>
    steps.flatMap((step) => /INDEX (deliveries_\w+)/.exec(step)?.[1] ?? []),
  );
  expect(new Set(used)).toEqual(
    new Set(['deliveries_due', 'deliveries_attempted', 'deliveries_failed', 'deliveries_canceled']),
  );
  expect(
    plans.flatMap(({ steps }) => steps).filter((step) => /^SCAN (?:d|h)\b|TEMP B-TREE/.test(step)),
  ).toEqual([]);
});
