import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../src/domain/retry-policy.ts';

const NOW = Date.UTC(1994, 10, 6, 8, 49, 0); // 37 seconds before the date of RFC 9110's examples

describe('parseRetryAfter', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 5\t', 5_000],
    ['007', 7_000],
  ])('parseRetryAfter reads whole seconds: %j [retry.after]', (value, ms) => {
    expect(parseRetryAfter(value, NOW)).toBe(ms);
  });

  it.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])(
    'parseRetryAfter reads every form of an HTTP date: %s [retry.after]',
    (value) => {
      expect(parseRetryAfter(value, NOW)).toBe(37_000);
    },
  );

  it('parseRetryAfter reads a leap second and February 29', () => {
    const beforeMidnight = Date.UTC(2016, 11, 31, 23, 59, 59);
    expect(parseRetryAfter('Sat, 31 Dec 2016 23:59:60 GMT', beforeMidnight)).toBe(1_000);
    expect(parseRetryAfter('Thu, 29 Feb 2024 00:00:01 GMT', Date.UTC(2024, 1, 29))).toBe(1_000);
  });

  it('parseRetryAfter reads a two-digit year as a year that is at most 50 years ahead', () => {
    const now = Date.UTC(2026, 0, 1);
    expect(parseRetryAfter('Friday, 01-Jan-27 00:00:00 GMT', now)).toBe(365 * 86_400_000);
    expect(parseRetryAfter('Friday, 01-Jan-77 00:00:00 GMT', now)).toBe(0);
  });

  it('parseRetryAfter returns 0 for a date in the past [retry.after]', () => {
    expect(parseRetryAfter('Sun, 06 Nov 1994 08:48:00 GMT', NOW)).toBe(0);
  });

  it('parseRetryAfter limits a huge wait to a safe integer', () => {
    expect(parseRetryAfter('9'.repeat(15), NOW)).toBe(Number.MAX_SAFE_INTEGER);
    expect(parseRetryAfter('9'.repeat(400), NOW)).toBe(Number.MAX_SAFE_INTEGER);
    expect(parseRetryAfter('Fri, 31 Dec 9999 23:59:59 GMT', NOW)).toBe(
      Date.UTC(9999, 11, 31, 23, 59, 59) - NOW,
    );
  });

  it.each([
    '',
    'soon',
    '-1',
    '+1',
    '1.5',
    '1e3',
    '0x10',
    '1, 2',
    'Infinity',
    '2026-11-20T00:00:00Z',
    'Sun, 06 Nov 1994 08:49:37 CET',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:60:00 GMT',
    'Sun, 06 Now 1994 08:49:37 GMT',
    'Sun, 31 Jun 1994 08:49:37 GMT',
    'Wed, 29 Feb 2023 00:00:00 GMT',
    'Sun, 00 Nov 1994 08:49:37 GMT',
  ])('parseRetryAfter returns null for %j [retry.after]', (value) => {
    expect(parseRetryAfter(value, NOW)).toBeNull();
  });
});
