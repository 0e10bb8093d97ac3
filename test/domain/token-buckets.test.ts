import { describe, expect, it } from 'vitest';
import { TokenBuckets } from '../../src/domain/token-buckets.ts';

describe('a token bucket', () => {
  it('a token bucket allows its burst at once and refills over time, up to its burst', () => {
    let now = 0;
    const buckets = new TokenBuckets<string>({ perSecond: 2, burst: 3 }, () => now);
    expect([buckets.take('a'), buckets.take('a'), buckets.take('a'), buckets.take('a')]).toEqual([
      2, 1, 0, 0,
    ]);
    expect([buckets.getTokens('a'), buckets.getTokens('b')]).toEqual([0, 3]);
    now = 250;
    expect([buckets.getTokens('a'), buckets.secondsUntilNext(0.5)]).toEqual([0.5, 1]);
    now = 60_000;
    expect(buckets.getTokens('a')).toBe(3);
  });

  it('a token bucket refills by the time since its last use', () => {
    let now = 1_000;
    const buckets = new TokenBuckets<string>({ perSecond: 1, burst: 10 }, () => now);
    for (let i = 0; i < 10; i++) buckets.take('a');
    const tokens = [2_000, 2_500, 4_500].map((time) => {
      now = time;
      return buckets.getTokens('a');
    });
    expect(tokens).toEqual([1, 1.5, 3.5]);
  });

  it.each([
    [0, 2, 1],
    [0, 0.25, 4],
    [0.5, 0.25, 2],
    [0.9, 0.3, 1],
    [0, 0.3, 4],
    [3, 1, 1],
  ])(
    'a key with %d tokens that gets %d per second has one again after %d s',
    (tokens, perSecond, seconds) => {
      const buckets = new TokenBuckets<string>({ perSecond, burst: 5 }, () => 0);
      expect(buckets.secondsUntilNext(tokens)).toBe(seconds);
    },
  );

  it('every token bucket is full after a reset', () => {
    const buckets = new TokenBuckets<string>({ perSecond: 1, burst: 3 }, () => 0);
    for (const key of ['a', 'b']) buckets.take(key);
    buckets.reset();
    expect([buckets.getTokens('a'), buckets.getTokens('b')]).toEqual([3, 3]);
  });

  it('the token bucket of the least recently used key is dropped when there are too many keys', () => {
    const buckets = new TokenBuckets<string>({ perSecond: 1, burst: 1 }, () => 0, 2);
    for (const key of ['a', 'b', 'a', 'c']) buckets.take(key);
    expect([buckets.getTokens('a'), buckets.getTokens('c')]).toEqual([0, 0]);
    expect(buckets.getTokens('b')).toBe(1);
  });
});
