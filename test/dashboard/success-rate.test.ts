import { expect, it } from 'vitest';
import { formatSuccessRate } from '../../src/dashboard/views/webhooks/success-rate.ts';

it.each([
  [200, 200, '100%'],
  [199, 200, '99.5%'],
  [1, 200, '0.5%'],
  [0, 200, '0%'],
  [2, 3, '67%'],
])(
  'formatSuccessRate formats %i of %i as %s, and uses 0% and 100% only for none and all',
  (succeeded, attempts, text) => {
    expect(formatSuccessRate(succeeded, attempts)).toBe(text);
  },
);
