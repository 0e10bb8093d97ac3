import { expect, it } from 'vitest';
import { parseRelativeTime } from '../../src/domain/duration.ts';

it('parseRelativeTime reads a duration before now, and a timestamp', () => {
  expect(parseRelativeTime('1h30m', 10_000_000)).toBe(4_600_000);
  expect(parseRelativeTime('2026-01-01T00:00:00Z', 0)).toBe(Date.parse('2026-01-01T00:00:00Z'));
  expect(parseRelativeTime('soon', 0)).toBeNaN();
});
