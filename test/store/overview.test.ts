/** The aggregates of the overview: their values, and the indexes that they read. */
import { expect, it } from 'vitest';
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
    const { p50_ms: p50, p95_ms: p95, max_ms: longest } = store.attempts.summarizeNewest(webhook, 200);
    expect({ p50, p95, longest }).toEqual({
      p50: Math.ceil(0.5 * count),
      p95: Math.ceil(0.95 * count),
      longest: count,
    });
  },
);

it('countInPeriod reads only the index of the time', async () => {
  const store = openStore();
  const [plan] = await explainPrepared(/sent_at_wall >=/, () =>
    store.attempts.countInPeriod({ workspaceSeq: 1, from: 0, until: 1 }),
  );
  expect(plan?.steps).toContain(
    'SEARCH a USING COVERING INDEX attempts_by_sent_at (sent_at_wall>? AND sent_at_wall<?)',
  );
  expect(plan?.steps.filter((step) => /SCAN|TEMP B-TREE/.test(step))).toEqual([]);
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
