/** How quickly a receiver responds to valid deliveries, and what follows for the checks, so that they end in bounded time. */
import { formatDuration } from '../domain/duration.ts';

/** A late response still shows what the receiver does, so it is awaited for this many time limits. */
const LATE_FACTOR = 2;
/** A receiver is slow if a response takes this share of the time limit. */
const SLOW_SHARE = 1 / 4;
/** Responses to simultaneous deliveries take at most this many times as long if the receiver handles them concurrently. */
const CONCURRENT_FACTOR = 1.5;
/** No check starts with a slow receiver after this many time limits. */
const MAX_TIME_LIMITS = 16;

export class ReceiverPace {
  readonly #timeoutMs: number;
  readonly #startedAt = performance.now();
  #responseMs = Number.POSITIVE_INFINITY;
  #hasTimeout = false;
  #isConcurrent = false;

  /** @param timeoutMs after which the service counts a delivery as failed */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** How long to wait for a response. */
  get limitMs(): number {
    return this.isLate ? LATE_FACTOR * this.#timeoutMs : this.#timeoutMs;
  }

  /** The shortest time of a response to one of the first valid deliveries. */
  get responseMs(): number {
    return this.#responseMs;
  }

  /** Whether responses come after the time limit of the service, or none has come yet. */
  get isLate(): boolean {
    return this.#responseMs > this.#timeoutMs;
  }

  /** Whether responses take so long that checks send as few deliveries in order as they can. */
  get isSlow(): boolean {
    return this.#responseMs >= SLOW_SHARE * this.#timeoutMs;
  }

  /** Whether deliveries that are independent of each other are sent at the same time. */
  get isConcurrent(): boolean {
    return this.#isConcurrent;
  }

  /** Call this for the first valid deliveries. The very first one can take longer, because the receiver has just started. */
  addResponses(...durationsMs: readonly number[]): void {
    this.#responseMs = Math.min(this.#responseMs, ...durationsMs);
  }

  setSimultaneousResponses(durationsMs: readonly number[]): void {
    this.#isConcurrent = durationsMs.every((ms) => ms <= CONCURRENT_FACTOR * this.#responseMs);
  }

  noteTimeout(): void {
    this.#hasTimeout = true;
  }

  /** Why no more checks start; null if they do. */
  findEnd(): string | null {
    const limitMs = MAX_TIME_LIMITS * this.#timeoutMs;
    return (this.isSlow || this.#hasTimeout) && performance.now() - this.#startedAt > limitMs
      ? `your receiver responds slowly, and the checks have already taken ${formatDuration(limitMs)}.`
      : null;
  }
}
