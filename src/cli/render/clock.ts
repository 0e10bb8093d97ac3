import type { AttemptSummary } from '../../contract/deliveries.ts';
import type { ClockMove, ClockState } from '../../contract/emulator.ts';
import { formatDuration } from '../../domain/duration.ts';
import type { Look } from '../io.ts';
import { countDeliveries } from './count.ts';
import { renderFields } from './fields.ts';
import { describePaused, hintAtPaused } from './paused.ts';
import { paintOutcome } from './style.ts';
import { type Column, renderTable } from './table.ts';
import { formatSecond, formatTime } from './time.ts';

/** The schedule clock of a workspace; the next attempt is told from its own time, not from that of the wall. */
export function renderClock(state: ClockState, look: Look): string {
  return renderFields(clockFields(state), look);
}

/** The attempts that a move of the clock caused, and where it left the clock. */
export function renderClockMove(move: ClockMove, look: Look): string {
  const fields = [
    renderFields({ ...clockFields(move), Pending: countDeliveries(move.pending) }, look),
    ...move.paused.map((each) => `${describePaused([each])} ${hintAtPaused([each])}`),
  ].join('\n');
  if (move.attempts.length === 0) return `No attempt fell due.\n\n${fields}`;
  return `${renderTable(attemptColumns(look), move.attempts, look)}\n\n${fields}`;
}

function clockFields({ workspace_id, now, rate, wall, next_due_at }: ClockState) {
  return {
    Workspace: workspace_id,
    'Schedule time': now,
    'Wall time': wall,
    Speed: rate === 0 ? 'frozen' : `${rate}×`,
    'Next attempt': next_due_at === null ? 'none planned' : formatTime(next_due_at, Date.parse(now)),
  };
}

function attemptColumns(look: Look): readonly Column<AttemptSummary>[] {
  return [
    { title: 'SCHEDULED', value: ({ scheduled_at: at }) => formatSecond(at) },
    { title: 'OUTCOME', value: (attempt) => paintOutcome(attempt, look) },
    { title: 'TOOK', value: ({ duration_ms: ms }) => formatDuration(ms), leaves: 2 },
    { title: 'TYPE', value: ({ event_type: type }) => type, leaves: 4 },
    { title: 'DELIVERY', value: ({ delivery_id: id }) => id },
    { title: 'TRY', value: ({ number }) => String(number), leaves: 3 },
    { title: 'ERROR', value: ({ error }) => error ?? '', leaves: 1, shrinks: true },
  ];
}
