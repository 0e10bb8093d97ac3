/** Limits the requests per second of each API key with a token bucket (decision `rate.limit`). */
import type { WallClock } from '../domain/clock.ts';
import { TokenBuckets } from '../domain/token-buckets.ts';
import { SvcError } from '../errors.ts';
import type { Rules } from '../profile/rules.ts';

type Limit = NonNullable<Rules['rateLimit']>;

export class RateLimiter {
  readonly #limit: Limit;
  readonly #buckets: TokenBuckets<number>;

  constructor(limit: Limit, wall: WallClock) {
    this.#limit = limit;
    this.#buckets = new TokenBuckets(limit, wall.monotonic);
  }

  /**
   * Takes a token from the bucket of a key.
   * @returns the headers that report the limit (decision `rate.headers`).
   * @throws SvcError `rate_limited` with those headers and `Retry-After` if the bucket is empty.
   */
  take(keySeq: number): Record<string, string> {
    const tokens = this.#buckets.getTokens(keySeq);
    if (tokens < 1) {
      const retryAfter = String(this.#buckets.secondsUntilNext(tokens));
      throw new SvcError(
        'rate_limited',
        `The API key is limited to ${this.#limit.perSecond} requests per second.`,
        { headers: { ...this.#headers(tokens), 'Retry-After': retryAfter } },
      );
    }
    return this.#headers(this.#buckets.take(keySeq));
  }

  /** Refills the buckets of all keys. */
  reset(): void {
    this.#buckets.reset();
  }

  #headers(tokens: number): Record<string, string> {
    const { perSecond, burst } = this.#limit;
    const windowSeconds = Math.ceil(burst / perSecond);
    const refillSeconds = Math.ceil((burst - tokens) / perSecond);
    return {
      'RateLimit-Policy': `"api-key";q=${burst};w=${windowSeconds}`,
      RateLimit: `"api-key";r=${Math.max(0, Math.floor(tokens))};t=${refillSeconds}`,
    };
  }
}
