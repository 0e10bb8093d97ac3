/** Moves the schedule clock and reports the results. A move continues in the emulator when the page is closed. */
import { signal } from '@preact/signals';
import type { ControlInput } from '../../../operations/control-operations.ts';
import type { ClockMove } from '../../../operations/emulator-schemas.ts';
import { control } from '../../control.ts';
import { clockOf, refreshClock, selectedClock, setClock } from '../../schedule-clock.ts';
import { workspaceId } from '../../session.ts';
import { showErrorToast, showToast, toErrorMessage, withErrorToast } from '../../toasts.ts';
import { summarizeAttempts } from './clock-format.ts';

/** IDs of the workspaces whose clocks this page moves. */
const startedMoves = signal<ReadonlySet<string>>(new Set());

interface MoveInProgress {
  readonly isCanceled: boolean;
}

/** The move in progress of a workspace's clock. Another page or a command may have started it. */
export function findMoveInProgress(id = ''): MoveInProgress | null {
  const moving = clockOf(id).state.value?.moving;
  if (!startedMoves.value.has(id) && moving === undefined) return null;
  return { isCanceled: moving?.canceled ?? false };
}

export async function changeClock(change: Pick<ControlInput<'setClock'>, 'speed' | 'frozen'>): Promise<void> {
  const state = await withErrorToast(control.setClock({ workspace_id: workspaceId.peek(), ...change }));
  if (state !== undefined) setClock(state);
}

export function toggleFrozen(): Promise<void> {
  return changeClock({ frozen: selectedClock.peek().state.peek()?.speed !== 0 });
}

export function advance(ms: number): Promise<void> {
  return moveClock(workspaceId.peek(), (move) => control.advanceClock({ ...move, ms }));
}

/** @param to schedule time, ISO 8601 */
export function advanceTo(to: string, workspaceId: string): Promise<void> {
  return moveClock(workspaceId, (move) => control.advanceClock({ ...move, to }));
}

export function runAllRetries(): Promise<void> {
  return moveClock(workspaceId.peek(), control.settleClock);
}

export async function cancelMove(): Promise<void> {
  const state = await withErrorToast(control.cancelClock({ workspace_id: workspaceId.peek() }));
  if (state !== undefined) setClock(state);
}

async function moveClock(
  id: string | undefined,
  requestMove: (input: { workspace_id: string; detached: true }) => Promise<ClockMove>,
): Promise<void> {
  if (id === undefined || findMoveInProgress(id) !== null) return;
  startedMoves.value = new Set([...startedMoves.peek(), id]);
  try {
    const move = await requestMove({ workspace_id: id, detached: true });
    setClock(move);
    showToast(`${summarizeAttempts(move.attempts)}.`);
  } catch (error) {
    void refreshClock(id);
    showErrorToast(toErrorMessage(error));
  }
  startedMoves.value = new Set([...startedMoves.peek()].filter((other) => other !== id));
}
