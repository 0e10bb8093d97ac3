/** Caches rows that requests or events read often, until a row of their table changes. */

/** Maximum number of values. When it is reached, the cache is emptied. */
const MAX_VALUES = 1_000;

export class ReadCache<Key, Value extends object> {
  readonly #values = new Map<Key, Value>();

  /** Returns the cached value of `key`, or the result of `read`, which is cached unless it is undefined. */
  getOrRead(key: Key, read: () => Value | undefined): Value | undefined {
    const cached = this.#values.get(key);
    if (cached !== undefined) return cached;
    const value = read();
    if (value === undefined) return undefined;
    if (this.#values.size >= MAX_VALUES) this.#values.clear();
    this.#values.set(key, value);
    return value;
  }

  /** Must be called on every write to the rows, and when a write is rolled back. */
  clear(): void {
    this.#values.clear();
  }
}
