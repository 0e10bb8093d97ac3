import { describe, expect, it } from 'vitest';
import { changeSettings } from '../../src/dashboard/settings.ts';
import {
  formatDateTime,
  formatDistance,
  formatTime,
  formatZone,
  summarizeAttempts,
} from '../../src/dashboard/views/clock/clock-format.ts';

const NOW = Date.parse('2026-11-21T08:12:33.900Z');
const HOUR = 3_600_000;

describe('the text of the clock', () => {
  it('times are in the zone of the settings, with the day only if it is another one', () => {
    changeSettings({ zone: 'utc' });
    expect(formatDateTime(NOW)).toBe('2026-11-21 08:12:33');
    expect(formatTime(NOW, NOW + HOUR)).toBe('08:12');
    expect(formatTime(NOW, NOW + 24 * HOUR)).toBe('Nov 21, 08:12');
    expect(formatZone(NOW)).toBe('UTC');
  });

  it.each([
    [999, null],
    [-999, null],
    [76 * HOUR, '3d 4h ahead of real time'],
    [-90_000, '1m 30s behind real time'],
  ])('formatDistance formats %i ms', (distance, text) => {
    expect(formatDistance(NOW + distance, NOW)).toBe(text);
  });

  it.each([
    [[], 'No attempts were due'],
    [['succeeded'], '1 attempt: 1 succeeded'],
    [['timeout', 'http_error'], '2 attempts: 2 failed'],
    [['succeeded', 'blocked', 'succeeded'], '3 attempts: 2 succeeded, 1 failed'],
  ] as const)('summarizeAttempts counts %j', (outcomes, text) => {
    expect(summarizeAttempts(outcomes.map((outcome) => ({ outcome })))).toBe(text);
  });
});
