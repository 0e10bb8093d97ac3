import type { WallClock } from '../domain/clock.ts';
import { MINUTE_MS } from '../domain/duration.ts';

const KEPT_MS = 5 * MINUTE_MS;
const MAX_ORIGINS = 1_000;

/** Remembers for five minutes which origins closed a kept-alive connection: the next one that is reused may fail too. */
export class RecentOrigins {
  readonly #wall: WallClock;
  /** By origin the monotonic time until which it counts; oldest first. */
  readonly #until = new Map<string, number>();

  constructor(wall: WallClock) {
    this.#wall = wall;
  }

  has(origin: string): boolean {
    const until = this.#until.get(origin);
    return until !== undefined && this.#wall.monotonic() < until;
  }

  add(origin: string): void {
    this.#until.delete(origin);
    this.#until.set(origin, this.#wall.monotonic() + KEPT_MS);
    const [oldest] = this.#until.keys();
    if (this.#until.size > MAX_ORIGINS && oldest !== undefined) this.#until.delete(oldest);
  }
}
