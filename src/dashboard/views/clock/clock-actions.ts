/** Moves the schedule clock and keeps the result of the last move. */
import { computed, signal } from '@preact/signals';
import type { ControlInput } from '../../../contract/control-operations.ts';
import type { ClockMove } from '../../../contract/emulator-schemas.ts';
import type { StreamItem } from '../../../contract/stream-schemas.ts';
import { control } from '../../control.ts';
import { refreshClock, selectedClock, setClock } from '../../schedule-clock.ts';
import { workspaceId } from '../../session.ts';
import { showErrorToast, toErrorMessage, withErrorToast } from '../../toasts.ts';
import { formatUtc } from './clock-format.ts';

/** A clock move in progress. Attempts are sent meanwhile. */
export interface MoveInProgress {
  /** Such as "Advancing by 5m". */
  readonly title: string;
  /** Number of attempts that have ended. */
  readonly attemptCount: number;
  readonly cancel: () => void;
}

/** The moves of this page by workspace ID. The emulator would queue a second move of a workspace. */
const movesInProgress = signal<ReadonlyMap<string, MoveInProgress>>(new Map());

export function findMoveInProgress(workspaceId: string | undefined): MoveInProgress | null {
  return movesInProgress.value.get(workspaceId ?? '') ?? null;
}

interface MoveResult {
  readonly workspaceId: string;
  /** Null when the user canceled the move. */
  readonly move: ClockMove | null;
}

const lastResult = signal<MoveResult | null>(null);

/**
 * The result of the last move of the selected workspace's clock; null before the first move and after it is dismissed.
 */
export const moveResult = computed(() =>
  lastResult.value?.workspaceId === workspaceId.value ? lastResult.value : null,
);

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
  return moveClock(`Advancing by ${durationText}`, workspaceId.peek(), (workspace, signal) =>
    control.advanceClock({ ...workspace, ms }, signal),
  );
}

/** @param to schedule time, ISO 8601 */
export function advanceTo(to: string, workspaceId: string): Promise<void> {
  return moveClock(`Advancing to ${formatUtc(Date.parse(to))}`, workspaceId, (workspace, signal) =>
    control.advanceClock({ ...workspace, to }, signal),
  );
}

export function advanceToNext(): Promise<void> {
  return moveClock('Advancing to the next attempt', workspaceId.peek(), control.nextClock);
}

export function settle(): Promise<void> {
  return moveClock('Settling', workspaceId.peek(), control.settleClock);
}

export function countAttempts(items: readonly StreamItem[]): void {
  for (const item of items) {
    if (item.type !== 'attempt') continue;
    const { workspace_id: id } = item.delivery;
    const move = movesInProgress.peek().get(id);
    if (move !== undefined) setMove(id, { ...move, attemptCount: move.attemptCount + 1 });
  }
}

async function moveClock(
  title: string,
  id: string | undefined,
  requestMove: (workspace: { workspace_id: string }, signal: AbortSignal) => Promise<ClockMove>,
): Promise<void> {
  if (id === undefined || movesInProgress.peek().has(id)) return;
  const abortController = new AbortController();
  setMove(id, { title, attemptCount: 0, cancel: () => abortController.abort() });
  try {
    const move = await requestMove({ workspace_id: id }, abortController.signal);
    setClock(move);
    lastResult.value = { workspaceId: id, move };
  } catch (error) {
    void refreshClock(id);
    if (abortController.signal.aborted) lastResult.value = { workspaceId: id, move: null };
    else showErrorToast(toErrorMessage(error));
  }
  setMove(id, null);
}

function setMove(id: string, move: MoveInProgress | null): void {
  const others = [...movesInProgress.peek()].filter(([other]) => other !== id);
  movesInProgress.value = new Map(move === null ? others : [...others, [id, move]]);
}
