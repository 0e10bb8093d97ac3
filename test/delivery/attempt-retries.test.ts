import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/duration.ts';
import type { ReceiverResponses } from '../support/test-receiver.ts';
import { between, startDeliverySetup } from './delivery-setup.ts';

/** 0, 5m, 35m, 2h35, 8h35, 20h35, 44h35, 68h35 */
const RETRY_SCHEDULE = [0, 5, 35, 155, 515, 1_235, 2_675, 4_115].map((minutes) => minutes * MINUTE_MS);
const DAYS_5 = 120 * HOUR_MS;

type Delivering = Awaited<ReturnType<typeof startDeliverySetup>>;

/** Schedule times of all attempts of an event since its creation, and the final status. */
async function climb({ control, deliver }: Delivering) {
  const { id } = await deliver();
  await control.advanceClock({ ms: DAYS_5 });
  const { created_at, attempts, status, settled_reason } = await control.getDelivery({ id });
  return {
    at: attempts.map(({ scheduled_at }) => between(created_at, scheduled_at)),
    status,
    settled_reason,
  };
}

describe('retries', () => {
  it('retries follow the retry schedule, and then the delivery fails [§6.retries.schedule, §6.retries.window, retry.schedule]', async () => {
    const delivering = await startDeliverySetup({ status: 503 });
    expect(await climb(delivering)).toEqual({
      at: RETRY_SCHEDULE,
      status: 'failed',
      settled_reason: 'window_elapsed',
    });
    expect(delivering.receiver.requests).toHaveLength(8);
  });

  it('retries stop after the first success [§6.retries.schedule]', async () => {
    const delivering = await startDeliverySetup([{ status: 500 }, { status: 429 }, { status: 204 }]);
    expect(await climb(delivering)).toMatchObject({
      at: RETRY_SCHEDULE.slice(0, 3),
      status: 'succeeded',
      settled_reason: null,
    });
  });

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

  it('retries follow the retry schedule on a clock that runs at a million times real speed [§6.retries.schedule]', async () => {
    const delivering = await startDeliverySetup({ status: 500 }, { clock: { speed: 1_000_000 } });
    const id = await delivering.trigger();
    await delivering.receiver.waitFor(8);
    const { created_at, attempts, status } = await delivering.deliveryOf(id);
    expect(attempts.map(({ scheduled_at }) => between(created_at, scheduled_at))).toEqual(RETRY_SCHEDULE);
    expect(status).toBe('failed');
  });

  it('retries wait while the clock is frozen and are sent once it runs', async () => {
    const { control, deliver, receiver } = await startDeliverySetup([{ status: 500 }, {}]);
    await deliver();
    await control.setClock({ speed: 1_000 });
    expect(receiver.requests).toHaveLength(1);
    await control.setClock({ frozen: false });
    await receiver.waitFor(2);
  });
});

describe('jitter', () => {
  const dueTimes = async (randomSeed: number, jitter: number) => {
    const overrides = { 'retry.jitter': jitter };
    const { at } = await climb(await startDeliverySetup({ status: 500 }, { overrides, randomSeed }));
    return at;
  };

  it.each([0.1, 0.5])(
    'jitter of %d varies every delay by up to that share, never past 24 hours [retry.jitter, §8.gap]',
    async (jitter) => {
      const at = await dueTimes(7, jitter);
      expect(at.length).toBeGreaterThan(4);
      for (const [index, dueAt] of at.slice(1).entries()) {
        const gap = dueAt - (at[index] ?? 0);
        const planned = (RETRY_SCHEDULE[index + 1] ?? 0) - (RETRY_SCHEDULE[index] ?? 0);
        expect(gap).not.toBe(planned === 24 * HOUR_MS ? 0 : planned);
        expect(gap).toBeGreaterThanOrEqual(Math.floor(planned * (1 - jitter)));
        expect(gap).toBeLessThanOrEqual(Math.min(24 * HOUR_MS, Math.ceil(planned * (1 + jitter))));
      }
    },
  );

  it('jitter is the same for the same random seed, and 0 turns it off [retry.jitter]', async () => {
    expect(await dueTimes(7, 0.1)).toEqual(await dueTimes(7, 0.1));
    expect(await dueTimes(7, 0.1)).not.toEqual(await dueTimes(8, 0.1));
    expect(await dueTimes(7, 0)).toEqual(RETRY_SCHEDULE);
  });
});

describe('Retry-After', () => {
  /** Schedule time from the creation of the event to the second attempt. */
  async function wait(retryAfter: string, overrides = {}, status = 503): Promise<number> {
    const script: ReceiverResponses = { status, headers: { 'retry-after': retryAfter } };
    const { created_at, next_attempt_at } = await (await startDeliverySetup(script, { overrides })).deliver();
    return between(created_at, next_attempt_at);
  }
  const httpDate = (ms: number) => new Date(Date.now() + ms).toUTCString();

  it.each([
    ['seconds', '3600', HOUR_MS],
    ['fewer seconds than the gap', '10', 5 * MINUTE_MS],
    ['no seconds', '0', 5 * MINUTE_MS],
    ['more than a day', '90000', 24 * HOUR_MS],
    ['a number with 300 digits', '9'.repeat(300), 24 * HOUR_MS],
    ['a date in the past', 'Sun, 06 Nov 1994 08:49:37 GMT', 5 * MINUTE_MS],
    ['a date too far ahead', 'Fri, 31 Dec 9999 23:59:59 GMT', 24 * HOUR_MS],
    ['a negative number', '-5', 5 * MINUTE_MS],
    ['garbage', 'whenever you like', 5 * MINUTE_MS],
    ['nothing', '', 5 * MINUTE_MS],
  ])('a Retry-After of %s delays the retry within its limits [retry.after]', async (_, value, ms) => {
    expect(await wait(value)).toBe(ms);
  });

  it('a Retry-After date delays the retry until that date, with a precision of one second [retry.after]', async () => {
    const ms = await wait(httpDate(2 * HOUR_MS));
    expect(ms).toBeGreaterThan(2 * HOUR_MS - 10 * SECOND_MS);
    expect(ms).toBeLessThanOrEqual(2 * HOUR_MS);
  });

  it.each([429, 500, 302])('Retry-After is honored with status %i too [retry.after]', async (status) => {
    expect(await wait('3600', {}, status)).toBe(HOUR_MS);
  });

  it('Retry-After has no effect when the rules ignore it [retry.after]', async () => {
    expect(await wait('3600', { 'retry.after': 'ignored' })).toBe(5 * MINUTE_MS);
    expect(await wait('3600', { 'retry.after': 'honored' })).toBe(HOUR_MS);
  });

  it('a Retry-After of a day each time gets no attempt past the retry window [retry.after, §6.retries.window]', async () => {
    const delivering = await startDeliverySetup({ status: 503, headers: { 'retry-after': '86400' } });
    const { at, status } = await climb(delivering);
    expect(at.map((ms) => ms / HOUR_MS)).toEqual([0, 24, 48, 72]);
    expect(status).toBe('failed');
  });
});

describe('status 410', () => {
  it('a 410 response is an ordinary failure by default [retry.410]', async () => {
    const { deliver } = await startDeliverySetup({ status: 410 }, { overrides: { 'retry.410': 'failure' } });
    expect(await deliver()).toMatchObject({ status: 'pending', settled_reason: null });
  });

  it('a 410 response ends the delivery when the rules say so [retry.410]', async () => {
    const { deliver } = await startDeliverySetup({ status: 410 }, { overrides: { 'retry.410': 'stop' } });
    expect(await deliver()).toMatchObject({
      ...{ status: 'failed', settled_reason: 'retry_not_allowed', next_attempt_at: null, attempt_count: 1 },
    });
  });
});
