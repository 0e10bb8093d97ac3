/** What a table has answered, kept in memory until its rows change: for what every request asks again. */

/** Values kept at most; past it they are all forgotten, which only costs reading them again. */
const LIMIT = 1_000;

export class ReadCache<Key, Value extends object> {
  readonly #values = new Map<Key, Value>();

  /** The value of `key`, read where it is not kept. What is not there (`undefined`) is not kept either. */
  getOrRead(key: Key, read: () => Value | undefined): Value | undefined {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const value = read();
    if (value === undefined) return undefined;
    if (this.#values.size >= LIMIT) this.#values.clear();
    this.#values.set(key, value);
    return value;
  }

  has(key: Key): boolean {
    return this.#values.has(key);
  }

  /** To be called with every write to the rows, and when writes are undone. */
  clear(): void {
    this.#values.clear();
  }
}
