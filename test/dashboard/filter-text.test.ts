import { expect, it } from 'vitest';
import { describeFilter } from '../../src/dashboard/ui/filter-text.ts';

it.each([
  ['type', 'order.shipped', 'Type', 'order.shipped'],
  ['status', 'failing', 'Status', 'failing'],
  ['status', 'pending', 'Status', 'all pending'],
  ['since', '1h', 'Since', '1h (schedule time)'],
  ['since', '2026-11-20T12:00:00Z', 'Since', '2026-11-20T12:00:00Z (schedule time)'],
  ['until', '1h', 'Before', '1h (schedule time)'],
  ['unknown', 'x', 'unknown', 'x'],
])('describeFilter describes the filter %s=%s as %s %s', (name, value, label, text) => {
  expect(describeFilter(name, value)).toEqual({ label, text });
});

it('describeFilter names the clock of a list that is filtered by real time', () => {
  expect(describeFilter('since', '24h', 'real time')).toEqual({
    label: 'Since',
    text: '24h (real time)',
  });
});
