import { expect, it } from 'vitest';
import { describeFilter } from '../../src/dashboard/ui/filter-text.ts';

it.each([
  ['type', 'order.shipped', 'Type', 'order.shipped'],
  ['status', 'failing', 'Status', 'failing'],
  ['status', 'pending', 'Status', 'all pending'],
  ['since', '1h', 'Created', 'last hour (schedule time)'],
  ['since', '2026-11-20T12:00:00Z', 'From', '2026-11-20T12:00:00Z (schedule time)'],
  ['until', '1h', 'Before', '1h (schedule time)'],
  ['unknown', 'x', 'unknown', 'x'],
])('describeFilter describes the filter %s=%s as %s %s', (name, value, label, text) => {
  expect(describeFilter(name, value)).toEqual({ label, text });
});

it('describeFilter names the clock of a list that is filtered by real time', () => {
  expect(describeFilter('since', '24h', { label: 'Time', clock: 'real time' })).toEqual({
    label: 'Time',
    text: 'last 24 hours (real time)',
  });
});
