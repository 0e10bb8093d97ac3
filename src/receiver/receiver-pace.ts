/** How quickly a receiver responds to valid deliveries, and what follows for the checks. */

/** While all responses are late, they are awaited for this many time limits, because they still show what the receiver does. */
const LATE_FACTOR = 2;
/** A receiver is slow if its quickest response takes at least this share of the time limit. */
const SLOW_SHARE = 1 / 4;

export class ReceiverPace {
  readonly #timeoutMs: number;
  #responseMs = Number.POSITIVE_INFINITY;

  /** @param timeoutMs after which the service counts a delivery as failed */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** How long to wait for a response. */
  get limitMs(): number {
    return this.isLate ? LATE_FACTOR * this.#timeoutMs : this.#timeoutMs;
  }

  /** The shortest time of a response to one of the first valid deliveries; infinite before the first. */
  get responseMs(): number {
    return this.#responseMs;
  }

  /** Whether responses come after the time limit of the service, or none has come yet. */
  get isLate(): boolean {
    return this.#responseMs > this.#timeoutMs;
  }

  /** Whether responses take so long that checks send as few deliveries as they can. */
  get isSlow(): boolean {
    return this.#responseMs >= SLOW_SHARE * this.#timeoutMs;
  }

  /** Call this for the first valid deliveries. The very first one can take longer, because the receiver has just started. */
  addResponse(durationMs: number): void {
    this.#responseMs = Math.min(this.#responseMs, durationMs);
  }
}
