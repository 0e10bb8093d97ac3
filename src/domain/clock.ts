/** The two times of the emulator. Both are milliseconds since 1970; the monotonic time has no fixed origin. */

/** Real time: signs, stamps `sent_at` and limits an attempt. It is never scaled. */
export interface WallClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds that only ever grow, whatever happens to the wall clock. */
  monotonic(): number;
}

/** The last millisecond of the year 9999: a later time has another form in ISO 8601. */
export const LAST_TIME = 253_402_300_799_999;

/** 9999-01-01: where schedule clocks end. What is planned from there, such as a retry, is still in the year 9999. */
export const LAST_SCHEDULE_TIME = Date.UTC(9999, 0, 1);

/** Where a schedule clock stood at one instant. Kept in the store. */
export interface ScheduleClockState {
  /** The schedule time of the anchor. */
  readonly at: number;
  /** The wall time of the anchor, from which real downtime is counted after a restart. */
  readonly wallAt: number;
  /** Schedule milliseconds per real millisecond while it runs; above 0. */
  readonly speed: number;
  readonly frozen: boolean;
}

/** Schedule milliseconds per real millisecond: 0 is frozen, 1 is real time. */
export function clockRate({ speed, frozen }: Pick<ScheduleClockState, 'speed' | 'frozen'>): number {
  return frozen ? 0 : speed;
}

/**
 * `anchor + rate × monotonic time since the anchor`: the schedule time, `elapsedMs` of real time after the anchor. It
 * stops at {@link LAST_SCHEDULE_TIME}.
 */
export function scheduleTime(state: Omit<ScheduleClockState, 'wallAt'>, elapsedMs: number): number {
  const at = Math.floor(state.at + clockRate(state) * Math.max(0, elapsedMs));
  return Math.min(at, LAST_SCHEDULE_TIME);
}

/**
 * The state in which a clock goes on after the process was away. Real downtime counts at rate 1 however fast the
 * clock ran, and not at all while it was frozen. A wall clock that was set back counts as no downtime.
 */
export function resumeAfterDowntime(state: ScheduleClockState, wallNow: number): ScheduleClockState {
  const away = state.frozen ? 0 : Math.max(0, wallNow - state.wallAt);
  return { ...state, at: state.at + away, wallAt: wallNow };
}
