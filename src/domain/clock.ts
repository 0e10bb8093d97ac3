/** The wall clock and the schedule clock. Their times are in milliseconds since 1970. */

/** Real time: for signatures, `sent_at` and time limits of attempts. It is never scaled. */
export interface WallClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since an unspecified time. They never decrease, even when the wall clock is set back. */
  monotonic(): number;
}

/** The last millisecond of the year 9999: later times have a different form in ISO 8601. */
export const LAST_TIME = 253_402_300_799_999;

/** 9999-01-01, at which schedule clocks stop. Retries that are scheduled from there are still in the year 9999. */
export const LAST_SCHEDULE_TIME = Date.UTC(9999, 0, 1);

/** The state of a schedule clock: the time that it showed at one point, its anchor, and how it has moved since then. Stored. */
export interface ScheduleClockState {
  /** The schedule time of the anchor. */
  readonly at: number;
  /** The wall time of the anchor, to compute the downtime after a restart. */
  readonly wallAt: number;
  /** Schedule milliseconds per real millisecond while it runs; above 0. */
  readonly speed: number;
  readonly frozen: boolean;
}

/** Schedule milliseconds per real millisecond: 0 is frozen, 1 is real time. */
export function getCurrentSpeed({ speed, frozen }: Pick<ScheduleClockState, 'speed' | 'frozen'>): number {
  return frozen ? 0 : speed;
}

/**
 * The schedule time, `elapsedMs` of real time after the anchor: `anchor + speed × elapsedMs`, at most
 * {@link LAST_SCHEDULE_TIME}.
 */
export function computeScheduleTime(state: Omit<ScheduleClockState, 'wallAt'>, elapsedMs: number): number {
  const at = Math.floor(state.at + getCurrentSpeed(state) * Math.max(0, elapsedMs));
  return Math.min(at, LAST_SCHEDULE_TIME);
}

/**
 * The state in which a clock continues after the process was down. The clock advances by the downtime at speed 1, whatever
 * its speed. It does not advance if it is frozen, or if the wall clock was set back.
 */
export function resumeAfterDowntime(state: ScheduleClockState, wallNow: number): ScheduleClockState {
  const downtimeMs = state.frozen ? 0 : Math.max(0, wallNow - state.wallAt);
  return { ...state, at: state.at + downtimeMs, wallAt: wallNow };
}

/** The schedule time, in milliseconds since 1970, `elapsedMs` of real time after the state of a clock was read. */
export function extrapolateScheduleTime(
  { now, speed }: { readonly now: string; readonly speed: number },
  elapsedMs: number,
): number {
  return Date.parse(now) + speed * Math.max(0, elapsedMs);
}
