import { expect, it } from 'vitest';
import { toMoment } from '../../src/domain/moment.ts';

it('reads a duration before now, and a time', () => {
  expect(toMoment('1h30m', 10_000_000)).toBe(4_600_000);
  expect(toMoment('2026-01-01T00:00:00Z', 0)).toBe(Date.parse('2026-01-01T00:00:00Z'));
  expect(toMoment('soon', 0)).toBeNaN();
});
