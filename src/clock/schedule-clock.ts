import {
  resumeAfterDowntime,
  type ScheduleClockState,
  scheduleTime,
  type WallClock,
} from '../domain/clock.ts';

/**
 * The schedule clock of one workspace: it decides when a retry is due. It runs on monotonic time, so that setting the
 * machine's clock changes nothing while the process lives.
 */
export class ScheduleClock {
  readonly #wall: WallClock;
  #at: number;
  #rate: number;
  #anchoredAt: number;

  private constructor(wall: WallClock, at: number, rate: number) {
    this.#wall = wall;
    this.#at = at;
    this.#rate = rate;
    this.#anchoredAt = wall.monotonic();
  }

  /** A clock that starts at the wall clock's time. */
  static start(wall: WallClock, rate: number): ScheduleClock {
    return new ScheduleClock(wall, wall.now(), rate);
  }

  /** A clock that goes on from a stored state, see {@link resumeAfterDowntime}. */
  static resume(wall: WallClock, state: ScheduleClockState): ScheduleClock {
    const { at, rate } = resumeAfterDowntime(state, wall.now());
    return new ScheduleClock(wall, at, rate);
  }

  /** Schedule time, milliseconds since 1970. Never goes back. */
  now(): number {
    return scheduleTime({ at: this.#at, rate: this.#rate }, this.#wall.monotonic() - this.#anchoredAt);
  }

  get rate(): number {
    return this.#rate;
  }

  /** Goes on from the present schedule time at another rate. */
  setRate(rate: number): void {
    this.#anchor(this.now(), rate);
  }

  /** Jumps to `at`; never back. */
  moveTo(at: number): void {
    this.#anchor(Math.max(at, this.now()), this.#rate);
  }

  /** What to keep in the store. */
  state(): ScheduleClockState {
    return { at: this.now(), wallAt: this.#wall.now(), rate: this.#rate };
  }

  /** Real milliseconds until the clock shows `at`; infinite when it is frozen and does not show it yet. */
  realMsUntil(at: number): number {
    const wait = at - this.now();
    if (wait <= 0) return 0;
    return this.#rate === 0 ? Number.POSITIVE_INFINITY : wait / this.#rate;
  }

  #anchor(at: number, rate: number): void {
    this.#at = at;
    this.#rate = rate;
    this.#anchoredAt = this.#wall.monotonic();
  }
}
