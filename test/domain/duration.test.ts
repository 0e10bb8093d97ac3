import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatDueTime,
  formatDuration,
  formatLatency,
  formatRelative,
  formatSpan,
  parseDuration,
  parsePeriod,
  parseRelativeTime,
} from '../../src/domain/duration.ts';

describe('parseDuration', () => {
  it.each([
    ['250ms', 250],
    ['90s', 90_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['3d', 259_200_000],
    ['1h30m', 5_400_000],
    ['1d2h3m4s5ms', 93_784_005],
    ['1.5h', 5_400_000],
    ['0.0001s', 0],
    ['0s', 0],
    [' 5m ', 300_000],
  ])('parseDuration(%j) returns %d', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    '',
    ' ',
    '5',
    'm',
    '5 m',
    '-5m',
    '+5m',
    '5M',
    '1h 30m',
    '5mm',
    '1e3s',
    '.5h',
    '5.m',
    '5m!',
    '∞',
    'x5m',
  ])('parseDuration(%j) returns null', (text) => {
    expect(parseDuration(text)).toBeNull();
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0ms'],
    [12.4, '12ms'],
    [999, '999ms'],
    [999.6, '1s'],
    [1_000, '1s'],
    [1_500, '1.5s'],
    [61_001, '1m1.001s'],
    [45_000, '45s'],
    [5_400_000, '1h30m'],
    [259_200_000, '3d'],
    [93_784_000, '1d2h3m4s'],
    [-90_000, '-1m30s'],
  ])('formatDuration(%d) returns %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('formatDuration writes what parseDuration reads, to the millisecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000_000 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});

it.each([
  [0, '0.0ms'],
  [9.94, '9.9ms'],
  [10, '10ms'],
  [1_500, '1.5s'],
])('formatLatency(%d) returns %s', (ms, text) => {
  expect(formatLatency(ms)).toBe(text);
});

it.each([
  [93_784_999, 2, '1d 2h'],
  [93_784_999, 4, '1d 2h 3m 4s'],
  [93_784_999, 1, '1d'],
  [3_605_000, 2, '1h 5s'],
  [1_999, 2, '1s'],
])('formatSpan(%d, %d) returns %s', (ms, count, text) => {
  expect(formatSpan(ms, count)).toBe(text);
});

it.each([
  [0, 'just now'],
  [999, 'just now'],
  [-999, 'just now'],
  [1_000, 'in 1s'],
  [-1_000, '1s ago'],
  [-1_500, '1s ago'],
  [252_000, 'in 4m 12s'],
  [90_061_000, 'in 1d 1h'],
  [-252_000, '4m ago'],
])('formatRelative writes a time %d ms from now as %j', (distanceMs, text) => {
  const now = Date.UTC(2026, 10, 20);
  expect(formatRelative(new Date(now + distanceMs).toISOString(), now)).toBe(text);
});

it.each([
  [999, 'due now'],
  [0, 'due now'],
  [-60_000, 'due now'],
  [1_000, 'in 1s'],
])('formatDueTime writes a time %d ms from now as %j', (distanceMs, text) => {
  const now = Date.UTC(2026, 10, 20);
  expect(formatDueTime(new Date(now + distanceMs).toISOString(), now)).toBe(text);
});

it('parseRelativeTime reads a duration before now, and a timestamp', () => {
  expect(parseRelativeTime('1h30m', 10_000_000)).toBe(4_600_000);
  expect(parseRelativeTime('2026-01-01T00:00:00Z', 0)).toBe(Date.parse('2026-01-01T00:00:00Z'));
  expect(parseRelativeTime('soon', 0)).toBeNaN();
  expect(parseRelativeTime('2027', 0)).toBe(Date.UTC(2027));
});

it.each([
  ['1h', [6_400_000, 10_000_000]],
  ['1h/30m', [6_400_000, 8_200_000]],
  ['1h/30m/xx', [6_400_000, Number.NaN]],
])('parsePeriod reads %s as %j', (text, times) => {
  expect(parsePeriod(text, 10_000_000)).toEqual(times);
});

it.each([
  '35',
  ' 35 ',
  '1.5',
  '20270',
  'order 5',
  '2026-01-01T00:00:00',
  '2026-01-01T25:00:00Z',
  'Fri, 20 Nov 2026 12:00:00 GMT',
])(
  'parseRelativeTime refuses %j, which is neither a duration nor an ISO 8601 time with a time zone',
  (text) => {
    expect(parseRelativeTime(text, 0)).toBeNaN();
  },
);
