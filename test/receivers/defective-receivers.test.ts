/** Receivers with one defect each: the failed checks name that defect and no other. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listChecks } from '../../src/receivers/run-checks.ts';
import { schemes } from '../../src/signature/schemes.ts';
import { checkReceiver, idsOf } from './check-receiver.ts';
import { API_KEY, type ReceiverParts, sleep } from './configurable-receiver.ts';
import { defects } from './defects.ts';
import { startCheckedReceiver, useVirtualTime } from './in-process-receiver.ts';

vi.mock('../../src/platform/timers.ts', () => import('../support/fakeable-timers.ts'));
vi.mock('../../src/receivers/receiver-client.ts', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  createReceiverClient: (await import('./in-process-receiver.ts')).createInProcessClient,
}));

beforeEach(useVirtualTime);
afterEach(() => {
  vi.useRealTimers();
});

const CLOCK_DIFFERENCE_MS = 180_000;
const WORKER_INTERVAL_MS = 700;

const correctVariants: readonly (readonly [name: string, changes: Partial<ReceiverParts>])[] = [
  ['works slowly', { work: () => sleep(500) }],
  ['does its work at once', { work: async () => {} }],
  [
    'has a worker that looks for events every 0.7 seconds',
    { work: () => sleep(WORKER_INTERVAL_MS - (performance.now() % WORKER_INTERVAL_MS)) },
  ],
  ['refuses a repeat during the work', { getRepeatStatus: (isWorking) => (isWorking ? 409 : 204) }],
  ['has a clock that is three minutes ahead', { clockDifferenceMs: CLOCK_DIFFERENCE_MS }],
  ['has a clock that is three minutes behind', { clockDifferenceMs: -CLOCK_DIFFERENCE_MS }],
];

describe('svc receiver check', () => {
  it('the checks pass a correct receiver [§6.1, §6.2, §6.3, §6.4, §6.5, §6.6]', async () => {
    await using receiver = await startCheckedReceiver();
    const report = await checkReceiver(receiver);
    expect(report.checks.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect(report.ok).toBe(true);
  });

  it.each(correctVariants)('the checks pass a correct receiver that %s', async (_, changes) => {
    await using receiver = await startCheckedReceiver(changes);
    const report = await checkReceiver(receiver);
    expect(report.checks.filter(({ status }) => status !== 'passed')).toEqual([]);
  });

  it('every check fails for at least one of the defective receivers', () => {
    const failed = new Set(defects.flatMap(({ check }) => check ?? []));
    const ids = listChecks(schemes.svc, API_KEY).map(({ id }) => id);
    expect(ids.filter((id) => !failed.has(id))).toEqual([]);
  });

  it.each(defects.filter(({ check }) => check !== null))(
    'the checks that fail for a receiver that $name name only that defect',
    async ({ create, check, timeoutMs = 5_000 }) => {
      await using receiver = await startCheckedReceiver(create());
      const report = await checkReceiver({ ...receiver, timeoutMs });
      expect(idsOf(report, 'failed')).toEqual(check);
      expect(report.ok).toBe(false);
    },
  );
});
