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

  it('the token bucket of the least recently used key is dropped when there are too many keys', () => {
    const buckets = new TokenBuckets<string>({ perSecond: 1, burst: 1 }, () => 0, 2);
    for (const key of ['a', 'b', 'a', 'c']) buckets.take(key);
    expect([buckets.getTokens('a'), buckets.getTokens('c')]).toEqual([0, 0]);
    expect(buckets.getTokens('b')).toBe(1);
  });
});
