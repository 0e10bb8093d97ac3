/** Token buckets by key: limits the burst and the long-term rate. */

interface BucketLimit {
  readonly perSecond: number;
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  /** Monotonic time of the last refill. */
  refilledAt: number;
}

export class TokenBuckets<Key> {
  readonly #limit: BucketLimit;
  readonly #monotonic: () => number;
  readonly #maxKeys: number;
  /** Least recently used first. */
  readonly #buckets = new Map<Key, Bucket>();

  /** @param maxKeys with more keys, the least recently used one is forgotten, so its bucket is full again. */
  constructor(limit: BucketLimit, monotonic: () => number, maxKeys = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
    this.#monotonic = monotonic;
    this.#maxKeys = maxKeys;
  }

  /** The tokens that a key has; a request needs at least 1. */
  getTokens(key: Key): number {
    return this.#refill(key).tokens;
  }

  /** @returns the remaining tokens. */
  take(key: Key): number {
    const bucket = this.#refill(key);
    bucket.tokens = Math.max(0, bucket.tokens - 1);
    return bucket.tokens;
  }

  /** Whole seconds until a key with this many tokens has one again; at least 1. */
  secondsUntilNext(tokens: number): number {
    return Math.max(1, Math.ceil((1 - tokens) / this.#limit.perSecond));
  }

  /** Fills every bucket. */
  reset(): void {
    this.#buckets.clear();
  }

  #refill(key: Key): Bucket {
    const { perSecond, burst } = this.#limit;
    const now = this.#monotonic();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, refilledAt: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.refilledAt) / 1000) * perSecond);
    bucket.refilledAt = now;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > this.#maxKeys && oldest !== undefined) this.#buckets.delete(oldest);
    return bucket;
  }
}
