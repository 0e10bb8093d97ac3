/** The schedule clock of the selected workspace, extrapolated between responses of the emulator. */
import { computed, effect, signal } from '@preact/signals';
import type { ClockState } from '../contract/emulator-schemas.ts';
import { extrapolateScheduleTime } from '../domain/clock.ts';
import { control, isConnected } from './control.ts';
import { workspaceId } from './session.ts';

/** Commands and tests can move the clock, and the live stream does not announce it. */
const POLL_INTERVAL_MS = 2_000;
const TICK_MS = 250;

/** The last state that the emulator reported; undefined before the first. */
export const clock = signal<ClockState>();

const receivedAt = signal(0);
const tick = signal(performance.now());

/** Current schedule time in milliseconds since 1970; undefined before the first response. */
export const scheduleNow = computed(() => {
  const { value } = clock;
  return value && extrapolateScheduleTime(value, tick.value - receivedAt.value);
});

/** Current time of the emulator's wall clock in milliseconds since 1970. */
export const wallNow = computed(() => {
  const { value } = clock;
  return value && Date.parse(value.wall) + Math.max(0, tick.value - receivedAt.value);
});

/** Real milliseconds until a schedule time; null while the clock is frozen. */
export function realTimeUntil(time: string): number | null {
  const { value } = clock;
  if (value === undefined || scheduleNow.value === undefined || value.rate === 0) return null;
  return Math.max(0, Date.parse(time) - scheduleNow.value) / value.rate;
}

export function setClock(state: ClockState): void {
  if (state.workspace_id !== workspaceId.peek()) return;
  clock.value = state;
  receivedAt.value = performance.now();
  tick.value = receivedAt.value;
}

export async function refreshClock(): Promise<void> {
  const id = workspaceId.peek();
  if (id === undefined || document.hidden) return;
  // The connection status shows the error; the next poll may succeed.
  await control.getClock({ workspace_id: id }).then(setClock, () => undefined);
}

setInterval(() => {
  if (!document.hidden && isConnected.peek()) tick.value = performance.now();
}, TICK_MS);
setInterval(() => void refreshClock(), POLL_INTERVAL_MS);
effect(() => {
  if (workspaceId.value !== undefined) void refreshClock();
});
