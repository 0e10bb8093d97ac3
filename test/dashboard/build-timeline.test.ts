import { describe, expect, it } from 'vitest';
import { buildTimeline, type TimelineStep } from '../../src/dashboard/views/delivery/build-timeline.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/duration.ts';
import { createAttempt, createDelivery, START, timeAfter } from './example-delivery.ts';

const kinds = (steps: readonly TimelineStep[]) => steps.map(({ kind }) => kind).join(' ');

describe('buildTimeline', () => {
  it('buildTimeline returns attempts, planned attempts and the end of the retry window', () => {
    const steps = buildTimeline(createDelivery(), undefined);
    expect(kinds(steps)).toBe('attempt attempt planned planned end');
    expect(steps.map(({ sinceFirstMs }) => sinceFirstMs / MINUTE_MS)).toEqual([0, 5, 35, 155, 72 * 60]);
    expect(steps).toMatchObject([{}, {}, { number: 3 }, { number: 4 }, {}]);
  });

  it('buildTimeline scales gaps up to an hour and collapses longer ones', () => {
    const steps = buildTimeline(createDelivery(), undefined);
    expect(steps.map(({ gap }) => gap && { isCollapsed: gap.isCollapsed, share: gap.share })).toEqual([
      null,
      { isCollapsed: false, share: 0.25 },
      { isCollapsed: false, share: 1 },
      { isCollapsed: true, share: 0.6 },
      { isCollapsed: true, share: 0.6 },
    ]);
  });

  it.each([
    [0, [0, null, null, null]],
    [20 * MINUTE_MS, [null, 0.5, null, null]],
    [35 * MINUTE_MS + HOUR_MS, [null, null, 0.5, null]],
    [-MINUTE_MS, [null, null, null, null]],
    [80 * HOUR_MS, [null, null, null, null]],
  ])('buildTimeline places the current time %i ms after the first attempt', (ms, expected) => {
    const [, ...steps] = buildTimeline(createDelivery(), START + ms);
    expect(steps.map(({ gap }) => gap?.now)).toEqual(expected);
  });

  it('buildTimeline ends with the last attempt of a settled delivery', () => {
    const settled = { planned_attempts: [], next_attempt_at: null };
    expect(kinds(buildTimeline(createDelivery({ ...settled, status: 'succeeded' }), START))).toBe(
      'attempt attempt',
    );
    const elapsed = createDelivery({ ...settled, status: 'failed', settled_reason: 'window_elapsed' });
    expect(kinds(buildTimeline(elapsed, START))).toBe('attempt attempt end');
  });

  it('buildTimeline supports a delivery without attempts', () => {
    const waiting = createDelivery({
      attempts: [],
      planned_attempts: [timeAfter(0), timeAfter(5 * MINUTE_MS)],
    });
    expect(kinds(buildTimeline(waiting, START))).toBe('planned planned end');
  });

  it('buildTimeline counts the planned attempts beyond the limit', () => {
    const planned = Array.from({ length: 30 }, (_, index) => timeAfter((index + 6) * MINUTE_MS));
    const steps = buildTimeline(createDelivery({ planned_attempts: planned }), START);
    expect(steps.filter(({ kind }) => kind === 'planned')).toHaveLength(8);
    expect(steps.at(-2)).toMatchObject({ kind: 'more', count: 22, at: START + 35 * MINUTE_MS });
  });

  it('buildTimeline places a late replay after the end of the window', () => {
    const late = createAttempt({ number: 3, trigger: 'manual', scheduled_at: timeAfter(80 * HOUR_MS) });
    const { attempts } = createDelivery();
    const steps = buildTimeline(
      createDelivery({
        attempts: [...attempts, late],
        planned_attempts: [],
        next_attempt_at: null,
        status: 'failed',
        settled_reason: 'window_elapsed',
      }),
      START,
    );
    expect(kinds(steps)).toBe('attempt attempt end attempt');
  });
});
