/** A clock that can be frozen, sped up and moved forward. */
import {
  computeScheduleTime,
  getCurrentSpeed,
  LAST_SCHEDULE_TIME,
  resumeAfterDowntime,
  type ScheduleClockState,
  type WallClock,
} from './clock.ts';

export interface ClockChange {
  readonly speed?: number | undefined;
  readonly frozen?: boolean | undefined;
}

/**
 * The schedule clock of one workspace, which decides when a retry is due. While it runs, it follows monotonic time, so that
 * setting the clock of the machine does not affect it.
 */
export class ScheduleClock {
  readonly #wall: WallClock;
  /** Schedule time from which the clock counts: that of the last change. */
  #anchor: number;
  #speed: number;
  #frozen: boolean;
  /** Monotonic time at which the clock showed {@link #anchor}. */
  #anchoredAt: number;

  /** Continues from a stored state, see {@link resumeAfterDowntime}. */
  constructor(wall: WallClock, state: ScheduleClockState) {
    const { at, speed, frozen } = resumeAfterDowntime(state, wall.now());
    this.#wall = wall;
    this.#anchor = at;
    this.#speed = speed;
    this.#frozen = frozen;
    this.#anchoredAt = wall.monotonic();
  }

  /** Schedule time in milliseconds since 1970; never decreases. */
  now(): number {
    const state = { at: this.#anchor, speed: this.#speed, frozen: this.#frozen };
    return computeScheduleTime(state, this.#wall.monotonic() - this.#anchoredAt);
  }

  /** Schedule milliseconds per real millisecond; 0 while frozen. */
  get currentSpeed(): number {
    return getCurrentSpeed({ speed: this.#speed, frozen: this.#frozen });
  }

  get frozen(): boolean {
    return this.#frozen;
  }

  /** Schedule milliseconds per real millisecond while it runs. */
  get speed(): number {
    return this.#speed;
  }

  /** Changes the speed or freezes the clock, from the current schedule time on. */
  set({ speed = this.#speed, frozen = this.#frozen }: ClockChange): void {
    this.#setAnchor(this.now());
    this.#speed = speed;
    this.#frozen = frozen;
  }

  /** Moves the clock to `at`; has no effect if that is in the past. */
  moveTo(at: number): void {
    this.#setAnchor(Math.max(at, this.now()));
  }

  /** The state to store. */
  getState(): ScheduleClockState {
    return { at: this.now(), wallAt: this.#wall.now(), speed: this.#speed, frozen: this.#frozen };
  }

  /** Real milliseconds until the clock shows `at`; `Infinity` if it is frozen or `at` is after {@link LAST_SCHEDULE_TIME}. */
  realMsUntil(at: number): number {
    const wait = at - this.now();
    if (wait <= 0) return 0;
    return this.#frozen || at > LAST_SCHEDULE_TIME ? Number.POSITIVE_INFINITY : wait / this.#speed;
  }

  /** Real milliseconds since the clock showed `at`, but at most since its last change. 0 before that time. */
  realMsSince(at: number): number {
    if (at > this.now()) return 0;
    const sinceAnchor = this.#wall.monotonic() - this.#anchoredAt;
    return at <= this.#anchor ? sinceAnchor : sinceAnchor - (at - this.#anchor) / this.#speed;
  }

  #setAnchor(at: number): void {
    this.#anchor = at;
    this.#anchoredAt = this.#wall.monotonic();
  }
}
