import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/domain/duration.ts';
import type { ReceiverResponses } from '../../support/test-receiver.ts';
import { between, startDeliverySetup } from './delivery-setup.ts';

/** 0, 5m, 35m, 2h35, 8h35, 20h35, 44h35, 68h35 */
const RETRY_SCHEDULE = [0, 5, 35, 155, 515, 1_235, 2_675, 4_115].map((minutes) => minutes * MINUTE_MS);
const DAYS_5 = 120 * HOUR_MS;

type Delivering = Awaited<ReturnType<typeof startDeliverySetup>>;

/** Schedule times of all attempts of an event since its creation. */
async function climb({ control, deliver }: Delivering) {
  const { id } = await deliver();
  await control.advanceClock({ ms: DAYS_5 });
  const { created_at, attempts } = await control.getDelivery({ id });
  return attempts.map(({ scheduled_at }) => between(created_at, scheduled_at));
}

describe('retries', () => {
  it.each([
    [['1s'], [0, 1, 2, 3], 3_000],
    [['10m', '1h'], [0, 600, 4_200, 7_800], 2 * HOUR_MS + 20 * MINUTE_MS],
  ])('retries follow the configured delays: %j [retry.schedule]', async (delays, seconds, ms) => {
    const delivering = await startDeliverySetup({ status: 500 }, { overrides: { 'retry.schedule': delays } });
    const { created_at, id } = await delivering.deliver();
    await delivering.control.advanceClock({ ms });
    const { attempts } = await delivering.control.getDelivery({ id });
    expect(attempts.map(({ scheduled_at }) => between(created_at, scheduled_at) / SECOND_MS)).toEqual(
      seconds,
    );
  });
});

describe('jitter', () => {
  const dueTimes = async (randomSeed: number, jitter: number) => {
    const overrides = { 'retry.jitter': jitter };
    return climb(await startDeliverySetup({ status: 500 }, { overrides, randomSeed }));
  };

  it('jitter is the same for the same random seed, and 0 turns it off [retry.jitter]', async () => {
    expect(await dueTimes(7, 0.1)).toEqual(await dueTimes(7, 0.1));
    expect(await dueTimes(7, 0.1)).not.toEqual(await dueTimes(8, 0.1));
    expect(await dueTimes(7, 0)).toEqual(RETRY_SCHEDULE);
  });
});

describe('Retry-After', () => {
  /** Schedule time from the creation of the event to the second attempt. */
  async function wait(retryAfter: string, overrides: Record<string, unknown>): Promise<number> {
    const script: ReceiverResponses = { status: 503, headers: { 'retry-after': retryAfter } };
    const { created_at, next_attempt_at } = await (await startDeliverySetup(script, { overrides })).deliver();
    return between(created_at, next_attempt_at);
  }

  it('Retry-After has no effect when the rules ignore it [retry.after]', async () => {
    expect(await wait('3600', { 'retry.after': 'ignored' })).toBe(5 * MINUTE_MS);
    expect(await wait('3600', { 'retry.after': 'honored' })).toBe(HOUR_MS);
  });
});

describe('status 410', () => {
  it('a 410 response ends the delivery when the rules say so [retry.410]', async () => {
    const { deliver } = await startDeliverySetup({ status: 410 }, { overrides: { 'retry.410': 'stop' } });
    expect(await deliver()).toMatchObject({
      ...{ status: 'failed', settled_reason: 'retry_not_allowed', next_attempt_at: null, attempt_count: 1 },
    });
  });
});
