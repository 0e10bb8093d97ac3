/** Moves the schedule clock and reports the results. A move continues in the emulator when the page is closed. */
import { signal } from '@preact/signals';
import type { ControlInput } from '../../../operations/control-operations.ts';
import type { ClockMove } from '../../../operations/emulator-schemas.ts';
import { control } from '../../control.ts';
import { clockOf, refreshClock, selectedClock, setClock } from '../../schedule-clock.ts';
import { workspaceId } from '../../session.ts';
import { showErrorToast, showToast, toErrorMessage, withErrorToast } from '../../toasts.ts';
import { formatDateTime, summarizeAttempts } from './clock-format.ts';

/** Titles of the moves that this page has started, such as "Advancing by 5m", by workspace ID. */
const startedMoves = signal<ReadonlyMap<string, string>>(new Map());

interface MoveInProgress {
  readonly title: string;
  readonly isCanceled: boolean;
}

/** The move in progress of a workspace's clock. Another page or a command may have started it. */
export function findMoveInProgress(id = ''): MoveInProgress | null {
  const title = startedMoves.value.get(id);
  const moving = clockOf(id).state.value?.moving;
  if (title === undefined && moving === undefined) return null;
  return {
    title: title ?? 'The clock is moving',
    isCanceled: moving?.canceled ?? false,
  };
}

export async function changeClock(change: Pick<ControlInput<'setClock'>, 'speed' | 'frozen'>): Promise<void> {
  const state = await withErrorToast(control.setClock({ workspace_id: workspaceId.peek(), ...change }));
  if (state !== undefined) setClock(state);
}

export function toggleFrozen(): Promise<void> {
  return changeClock({ frozen: selectedClock.peek().state.peek()?.speed !== 0 });
}

/** @param durationText the duration as the user wrote it, such as `5m` */
export function advance(ms: number, durationText: string): Promise<void> {
  return moveClock(`Advancing by ${durationText}`, workspaceId.peek(), (move) =>
    control.advanceClock({ ...move, ms }),
  );
}

/** @param to schedule time, ISO 8601 */
export function advanceTo(to: string, workspaceId: string): Promise<void> {
  return moveClock(`Advancing to ${formatDateTime(Date.parse(to))}`, workspaceId, (move) =>
    control.advanceClock({ ...move, to }),
  );
}

export function runAllRetries(): Promise<void> {
  return moveClock('Running all retries', workspaceId.peek(), control.settleClock);
}

export async function cancelMove(): Promise<void> {
  const state = await withErrorToast(control.cancelClock({ workspace_id: workspaceId.peek() }));
  if (state !== undefined) setClock(state);
}

async function moveClock(
  title: string,
  id: string | undefined,
  requestMove: (input: { workspace_id: string; detached: true }) => Promise<ClockMove>,
): Promise<void> {
  if (id === undefined || findMoveInProgress(id) !== null) return;
  startedMoves.value = new Map([...startedMoves.peek(), [id, title]]);
  try {
    const move = await requestMove({ workspace_id: id, detached: true });
    setClock(move);
    showToast(`${summarizeAttempts(move.attempts)}.`);
  } catch (error) {
    void refreshClock(id);
    showErrorToast(toErrorMessage(error));
  }
  startedMoves.value = new Map([...startedMoves.peek()].filter(([other]) => other !== id));
}
