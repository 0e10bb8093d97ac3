import type { WallClock } from '../domain/clock.ts';
import { clearTimeout, setTimeout } from '../timers.ts';

/** The longest wait that a timer of Node.js can have. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Rings once, at the earliest of the times that it was set to; earlier where that is farther off than a timer can be. */
export class EarliestTimer {
  readonly #wall: Pick<WallClock, 'monotonic'>;
  readonly #ring: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Monotonic time at which it rings. */
  #ringsAt = Number.POSITIVE_INFINITY;

  constructor(wall: Pick<WallClock, 'monotonic'>, ring: () => void) {
    this.#wall = wall;
    this.#ring = ring;
  }

  /** Rings in `realMs`, unless it rings earlier; never for an infinite wait. */
  set(realMs: number): void {
    const ringsAt = this.#wall.monotonic() + realMs;
    if (ringsAt >= this.#ringsAt) return;
    clearTimeout(this.#timer);
    this.#ringsAt = ringsAt;
    this.#timer = setTimeout(this.#ring, Math.min(Math.ceil(realMs), MAX_TIMER_MS));
  }

  /** Forgets every time that it was set to; whom it wakes does this first. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#ringsAt = Number.POSITIVE_INFINITY;
  }
}
