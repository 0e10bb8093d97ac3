/** Moves the schedule clock and keeps the result of the last move. */
import { computed, signal } from '@preact/signals';
import type { ControlInput } from '../../../contract/control-operations.ts';
import type { ClockMove } from '../../../contract/emulator-schemas.ts';
import { control } from '../../control.ts';
import { refreshClock, selectedClock, setClock } from '../../schedule-clock.ts';
import { workspaceId } from '../../session.ts';
import { withErrorToast } from '../../toasts.ts';

/** A clock move in progress. Attempts are sent meanwhile. */
interface MoveInProgress {
  readonly workspaceId: string;
  /** Such as "Advancing by 5m". */
  readonly title: string;
  readonly attemptCount: number;
}

export const moveInProgress = signal<MoveInProgress | null>(null);

const lastResult = signal<ClockMove | null>(null);

/**
 * The result of the last move of the selected workspace's clock; null before the first move and after it is dismissed.
 */
export const moveResult = computed(() =>
  lastResult.value?.workspace_id === workspaceId.value ? lastResult.value : null,
);

export function dismissResult(): void {
  lastResult.value = null;
}

export async function changeClock(change: Pick<ControlInput<'setClock'>, 'speed' | 'frozen'>): Promise<void> {
  const state = await withErrorToast(control.setClock({ workspace_id: workspaceId.peek(), ...change }));
  if (state !== undefined) setClock(state);
}

export function toggleFrozen(): Promise<void> {
  return changeClock({ frozen: selectedClock.peek().state.peek()?.rate !== 0 });
}

/** @param name of the duration, such as `5m` */
export function advance(ms: number, name: string): Promise<void> {
  return moveClock(`Advancing by ${name}`, (workspace) => control.advanceClock({ ...workspace, ms }));
}

export function advanceToNext(): Promise<void> {
  return moveClock('Advancing to the next attempt', control.nextClock);
}

export function settle(): Promise<void> {
  return moveClock('Settling', control.settleClock);
}

export function addAttempts(count: number): void {
  const { value } = moveInProgress;
  if (value !== null) moveInProgress.value = { ...value, attemptCount: value.attemptCount + count };
}

/** One move at a time: the emulator would queue a second one. */
async function moveClock(
  title: string,
  requestMove: (workspace: { workspace_id: string }) => Promise<ClockMove>,
): Promise<void> {
  const id = workspaceId.peek();
  if (id === undefined || moveInProgress.peek() !== null) return;
  moveInProgress.value = { workspaceId: id, title, attemptCount: 0 };
  const result = await withErrorToast(requestMove({ workspace_id: id }));
  moveInProgress.value = null;
  if (result === undefined) return refreshClock(id);
  setClock(result);
  lastResult.value = result;
}
