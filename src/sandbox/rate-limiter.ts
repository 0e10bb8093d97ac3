/** Requests a second for each key, as a token bucket (decision `rate.limit`). */
import type { WallClock } from '../domain/clock.ts';
import { SvcError } from '../errors.ts';
import type { Rules } from '../profile/rules.ts';

type Limit = NonNullable<Rules['rateLimit']>;

interface Bucket {
  tokens: number;
  /** Monotonic time at which `tokens` was right. */
  at: number;
}

export class RateLimiter {
  readonly #limit: Limit;
  readonly #wall: WallClock;
  readonly #buckets = new Map<number, Bucket>();

  constructor(limit: Limit, wall: WallClock) {
    this.#limit = limit;
    this.#wall = wall;
  }

  /**
   * Takes a token of the key.
   * @returns the headers that report the limit (decision `rate.headers`).
   * @throws SvcError `rate_limited` with those headers and `Retry-After`, when there is none left.
   */
  take(keySeq: number): Record<string, string> {
    const bucket = this.#refill(keySeq);
    if (bucket.tokens < 1) {
      const waitSeconds = Math.max(1, Math.ceil((1 - bucket.tokens) / this.#limit.perSecond));
      throw new SvcError(
        'rate_limited',
        `More than ${this.#limit.perSecond} requests a second with this API key.`,
        {
          headers: { ...this.#headers(bucket), 'Retry-After': String(waitSeconds) },
        },
      );
    }
    bucket.tokens -= 1;
    return this.#headers(bucket);
  }

  /** Every key has its whole burst again. */
  forget(): void {
    this.#buckets.clear();
  }

  #refill(keySeq: number): Bucket {
    const { perSecond, burst } = this.#limit;
    const now = this.#wall.monotonic();
    const bucket = this.#buckets.get(keySeq) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    this.#buckets.set(keySeq, bucket);
    return bucket;
  }

  #headers(bucket: Bucket): Record<string, string> {
    const { perSecond, burst } = this.#limit;
    const windowSeconds = Math.ceil(burst / perSecond);
    const refillSeconds = Math.ceil((burst - bucket.tokens) / perSecond);
    return {
      'RateLimit-Policy': `"api-key";q=${burst};w=${windowSeconds}`,
      RateLimit: `"api-key";r=${Math.max(0, Math.floor(bucket.tokens))};t=${refillSeconds}`,
    };
  }
}
