import { describe, expect, it } from 'vitest';
import { formatDuration } from '../../../src/domain/duration.ts';
import { respond, runCheck } from './check-setup.ts';

describe('acceptance.in-time', () => {
  it.each([
    [true, 'failed', 'response after 6s'],
    [false, 'passed', 'response after 6s'],
  ])('acceptance.in-time with late responses (%s) is %s [§6.5]', async (isLate, status, received) => {
    const run = await runCheck('acceptance.in-time', { context: { isLate, responseMs: 6_000 } });
    expect(run).toMatchObject({ status, received, sent: [] });
  });
});

describe('acceptance.before-work', () => {
  /** The times of the responses to valid and tampered deliveries, one after the other. They are repeated. */
  const respondAfter = (...durations: number[]) => ({
    responses: (_: unknown, index: number) =>
      respond(204, { durationMs: durations[index % durations.length] ?? 0 }),
    context: { responseMs: 950 },
  });

  it.each([
    [500, 'failed', 'Your receiver responds after the work is done.'],
    [499, 'inconclusive', 'The time does not show whether the work is done before the response.'],
    [301, 'inconclusive', 'The time does not show whether the work is done before the response.'],
    [300, 'passed', 'Your receiver responds quickly'],
    [100, 'passed', 'Your receiver responds quickly'],
  ])(
    'acceptance.before-work of a receiver that accepts after %i ms and rejects after 100 ms is %s: %s [§6.5]',
    async (ms, status, meaning) => {
      const run = await runCheck('acceptance.before-work', respondAfter(900, 700, ms, 100, 800, 900));
      expect(run).toMatchObject({
        ...{ status, meaning: expect.stringContaining(meaning) },
        received: `response after ${formatDuration(ms)}, or 100ms for a tampered delivery`,
      });
      expect(run.sent).toHaveLength(status === 'passed' ? 6 : 18);
    },
  );

  it('acceptance.before-work takes more samples while the machine is busy', async () => {
    const responses = (_: unknown, index: number) =>
      respond(204, { durationMs: index === 8 || index % 2 === 1 ? 100 : 900 });
    const run = await runCheck('acceptance.before-work', { responses, context: { responseMs: 950 } });
    expect([run.status, run.sent.length]).toEqual(['passed', 10]);
  });

  it('acceptance.before-work sends only one tampered delivery to a slow receiver', async () => {
    const run = await runCheck('acceptance.before-work', {
      ...respondAfter(200),
      context: { isSlow: true, responseMs: 700 },
    });
    expect(run).toMatchObject({
      status: 'failed',
      received: 'response after 700ms, or 200ms for a tampered delivery',
    });
    expect(run.sent).toHaveLength(1);
  });
});
