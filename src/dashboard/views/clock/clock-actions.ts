/** Moves the schedule clock and keeps the result of the last move. A move continues in the emulator when the page is closed. */
import { computed, signal } from '@preact/signals';
import type { ControlInput } from '../../../operations/control-operations.ts';
import type { ClockMove } from '../../../operations/emulator-schemas.ts';
import { control } from '../../control.ts';
import { clockOf, refreshClock, selectedClock, setClock } from '../../schedule-clock.ts';
import { workspaceId } from '../../session.ts';
import { showErrorToast, toErrorMessage, withErrorToast } from '../../toasts.ts';
import { formatUtc } from './clock-format.ts';

/** Titles of the moves that this page has started, such as "Advancing by 5m", by workspace ID. */
const startedMoves = signal<ReadonlyMap<string, string>>(new Map());

export interface MoveInProgress {
  readonly title: string;
  /** Number of attempts that have ended. */
  readonly attemptCount: number;
  readonly isCanceled: boolean;
}

/** The move in progress of a workspace's clock. Another page or a command may have started it. */
export function findMoveInProgress(id = ''): MoveInProgress | null {
  const title = startedMoves.value.get(id);
  const moving = clockOf(id).state.value?.moving;
  if (title === undefined && moving === undefined) return null;
  return {
    title: title ?? 'The clock is moving',
    attemptCount: moving?.attempts ?? 0,
    isCanceled: moving?.canceled ?? false,
  };
}

interface MoveResult {
  readonly workspaceId: string;
  readonly move: ClockMove;
}

const lastResult = signal<MoveResult | null>(null);

/** The result of the last move of the selected workspace's clock; null before it and after the user dismisses it. */
export const moveResult = computed(() => {
  const { value: result } = lastResult;
  return result?.workspaceId === workspaceId.value ? (result?.move ?? null) : null;
});

export function dismissResult(): void {
  lastResult.value = null;
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
  return moveClock(`Advancing to ${formatUtc(Date.parse(to))}`, workspaceId, (move) =>
    control.advanceClock({ ...move, to }),
  );
}

export function advanceToNext(): Promise<void> {
  return moveClock('Advancing to the next attempt', workspaceId.peek(), control.nextClock);
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
  lastResult.value = null;
  try {
    const move = await requestMove({ workspace_id: id, detached: true });
    setClock(move);
    lastResult.value = { workspaceId: id, move };
  } catch (error) {
    void refreshClock(id);
    showErrorToast(toErrorMessage(error));
  }
  startedMoves.value = new Map([...startedMoves.peek()].filter(([other]) => other !== id));
}
