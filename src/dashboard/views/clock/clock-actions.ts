/** Moves the schedule clock and reports the results. */
import { signal } from '@preact/signals';
import type { ControlInput } from '../../../operations/control-operations.ts';
import type { ClockMove } from '../../../operations/emulator-schemas.ts';
import { control } from '../../control.ts';
import { refreshClock, setClock } from '../../schedule-clock.ts';
import { workspaceId } from '../../session.ts';
import { showErrorToast, showToast, toErrorMessage, withErrorToast } from '../../toasts.ts';
import { summarizeAttempts } from './clock-format.ts';

/** The moves that this page has started, by workspace ID. Aborting one cancels its request, and so the move. */
const moves = signal<ReadonlyMap<string, AbortController>>(new Map());

/** Whether this page moves the clock of a workspace. */
export function isMoving(id = ''): boolean {
  return moves.value.has(id);
}

export async function changeClock(change: Pick<ControlInput<'setClock'>, 'speed' | 'frozen'>): Promise<void> {
  const state = await withErrorToast(control.setClock({ workspace_id: workspaceId.peek(), ...change }));
  if (state !== undefined) setClock(state);
}

export function advance(ms: number): Promise<void> {
  return moveClock(workspaceId.peek(), (move, signal) => control.advanceClock({ ...move, ms }, signal));
}

/** @param to schedule time, ISO 8601 */
export function advanceTo(to: string, workspaceId: string): Promise<void> {
  return moveClock(workspaceId, (move, signal) => control.advanceClock({ ...move, to }, signal));
}

export function runAllRetries(): Promise<void> {
  return moveClock(workspaceId.peek(), control.settleClock);
}

export function cancelMove(): void {
  const move = moves.peek().get(workspaceId.peek() ?? '');
  move?.abort();
}

async function moveClock(
  id: string | undefined,
  requestMove: (input: { workspace_id: string }, signal: AbortSignal) => Promise<ClockMove>,
): Promise<void> {
  if (id === undefined || isMoving(id)) return;
  const controller = new AbortController();
  moves.value = new Map([...moves.peek(), [id, controller]]);
  try {
    const move = await requestMove({ workspace_id: id }, controller.signal);
    setClock(move);
    showToast(`${summarizeAttempts(move.attempts)}.`);
  } catch (error) {
    void refreshClock(id);
    if (!controller.signal.aborted) showErrorToast(toErrorMessage(error));
  }
  moves.value = new Map([...moves.peek()].filter(([other]) => other !== id));
}
