import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TICKS_MS, toDistance, toPart, toPosition } from '../../src/domain/timeline-scale.ts';

const HOUR = 3_600_000;
const distances = fc.integer({ min: -72 * HOUR, max: 72 * HOUR });

it('the scale is symmetric, and its ticks are apart by at least a twentieth of a side', () => {
  const positions = [0, ...TICKS_MS.map(toPosition)];
  expect(positions.at(-1)).toBe(1);
  expect(TICKS_MS.map((ms) => -toPosition(-ms))).toEqual(positions.slice(1));
  for (const [index, position] of positions.slice(1).entries())
    expect(position - (positions[index] ?? 0)).toBeGreaterThan(0.05);
});

it('the scale ends at 72 hours', () => {
  expect([toPosition(100 * HOUR), toPosition(-100 * HOUR)]).toEqual([1, -1]);
});

it('toDistance is the inverse of toPosition', () => {
  fc.assert(fc.property(distances, (ms) => Math.abs(toDistance(toPosition(ms)) - ms) < 1));
});

it('a part contains neighbors of one side', () => {
  expect([-1, 0, 1].map(toPart)).toEqual([-1, -1, 0]);
  fc.assert(
    fc.property(distances, distances, (a, b) => {
      const [first, second] = [Math.min(a, b), Math.max(a, b)];
      expect(toPart(first)).toBeLessThanOrEqual(toPart(second));
    }),
  );
});
