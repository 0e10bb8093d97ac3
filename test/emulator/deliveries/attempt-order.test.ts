import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/domain/duration.ts';
import { useFakeTimers } from '../../support/fake-timers.ts';
import { type History, history, type Limits, runHistory } from './random-history.ts';

/** Set this for a longer search: `HISTORIES=2000 npx vitest run test/emulator/deliveries/attempt-order.test.ts --testTimeout 3600000`. */
const HISTORIES = process.env.HISTORIES === undefined ? undefined : Number(process.env.HISTORIES);

const SHORTEST_DELAY_MS = 5 * MINUTE_MS;
const WINDOW_MS = 72 * HOUR_MS;
/** One second at the highest speed: an attempt that starts this late is still on time. */
const LATEST_MS = 3600 * SECOND_MS;

const limits = fc.constantFrom<Limits>(
  { per_endpoint: 8, total: 64 },
  { per_endpoint: 2, total: 8 },
  { per_endpoint: 1, total: 1 },
);

type Delivery = Awaited<ReturnType<typeof runHistory>>['deliveries'][number];

it('the dispatcher makes the attempts of a delivery one at a time and on schedule in every random history [delivery.concurrency, retry.schedule, replay, §6.retries.window]', async () => {
  useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await fc.assert(
    fc.asyncProperty(limits, history, (limits, steps) => expectLawful(limits, steps)),
    { numRuns: HISTORIES ?? 60 },
  );
});

async function expectLawful(limits: Limits, steps: History): Promise<void> {
  const { deliveries, faults, now, peak } = await runHistory(limits, steps);
  expect(faults).toEqual([]);
  expect(peak.delivery).toBe(1);
  expect(peak.endpoint).toBeLessThanOrEqual(limits.per_endpoint);
  expect(peak.total).toBeLessThanOrEqual(limits.total);
  for (const delivery of deliveries) {
    expectInOrder(delivery);
    expectComplete(delivery, now);
    const { seen, attempts } = delivery;
    expect(seen).toBe(attempts.length);
  }
}

function expectInOrder({ attempts, started, progress }: Delivery): void {
  for (const [index, { trigger, scheduled_at: scheduledAt, sent_at_wall: sentAt }] of attempts.entries()) {
    const begunAt = started[index] ?? 0;
    expect(begunAt).toBeGreaterThanOrEqual(scheduledAt);
    const before = attempts[index - 1];
    if (before === undefined) continue;
    expect(sentAt).toBeGreaterThanOrEqual(before.sent_at_wall + before.duration_ms);
    expect(scheduledAt).toBeGreaterThanOrEqual(before.scheduled_at);
    if (trigger === 'manual') continue;
    expect(before.outcome).not.toBe('succeeded');
    expect(scheduledAt).toBeGreaterThanOrEqual(before.scheduled_at + SHORTEST_DELAY_MS);
    expect(begunAt).toBeLessThanOrEqual((progress.first_attempt_at ?? 0) + WINDOW_MS + LATEST_MS);
  }
}

/** Checks that every attempt is recorded, every requested replay was made, and nothing due is left. */
function expectComplete({ attempts, started, progress, replays }: Delivery, now: number): void {
  expect(attempts.map(({ number }) => number)).toEqual(started.map((_, index) => index + 1));
  expect(progress.attempt_count).toBe(attempts.length);
  if (progress.status === 'canceled') return;
  expect(attempts.filter(({ trigger }) => trigger === 'manual')).toHaveLength(replays);
  expect(progress.due_at ?? Number.POSITIVE_INFINITY).toBeGreaterThan(now);
}
