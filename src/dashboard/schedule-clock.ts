/** The schedule clocks of the workspaces, extrapolated between responses of the emulator. */
import { computed, effect, signal } from '@preact/signals';
import { extrapolateScheduleTime } from '../domain/clock.ts';
import { MINUTE_MS } from '../domain/duration.ts';
import type { ClockState } from '../operations/emulator-schemas.ts';
import { control, isConnected, onPoll } from './control.ts';
import { workspaceId } from './session.ts';

const TICK_MS = 500;

/** `performance.now()` when the shown times were last updated. */
const tick = signal(performance.now());

export class WorkspaceClock {
  /** The last state that the emulator reported; undefined before the first. */
  readonly state = signal<ClockState>();
  readonly #receivedAt = signal(0);

  /** Current schedule time in milliseconds since 1970; undefined before the first response. */
  readonly now = computed(() => {
    const { value } = this.state;
    return value && extrapolateScheduleTime(value, tick.value - this.#receivedAt.value);
  });

  /** Current time of the emulator's wall clock in milliseconds since 1970. */
  readonly wallNow = computed(() => {
    const { value } = this.state;
    return value && Date.parse(value.wall) + Math.max(0, tick.value - this.#receivedAt.value);
  });

  /** Whether schedule time and real time are so far apart that a time must say which one it is. */
  readonly isDifferent = computed(
    () => Math.abs((this.now.value ?? 0) - (this.wallNow.value ?? 0)) >= MINUTE_MS,
  );

  set(state: ClockState): void {
    this.state.value = state;
    this.#receivedAt.value = performance.now();
    tick.value = this.#receivedAt.value;
  }
}

/** Clocks by workspace ID. */
const clocks = new Map<string, WorkspaceClock>();
const unknownClock = new WorkspaceClock();

/** The clock of a workspace. For undefined, a clock without a time. */
export function clockOf(id: string | undefined): WorkspaceClock {
  if (id === undefined) return unknownClock;
  const clock = clocks.get(id) ?? new WorkspaceClock();
  clocks.set(id, clock);
  return clock;
}

export const selectedClock = computed(() => clockOf(workspaceId.value));

export function setClock(state: ClockState): void {
  clockOf(state.workspace_id).set(state);
}

export async function refreshClock(id: string | undefined): Promise<void> {
  if (id === undefined || document.hidden) return;
  // The connection status shows the error; the next poll may succeed.
  await control.getClock({ workspace_id: id }).then(setClock, () => undefined);
}

setInterval(() => {
  if (!document.hidden && isConnected.peek()) tick.value = performance.now();
}, TICK_MS);
onPoll(() => {
  if (isConnected.peek()) void refreshClock(workspaceId.peek());
});
effect(() => void refreshClock(workspaceId.value));
