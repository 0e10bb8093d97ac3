import type { AttemptSummary } from '../../contract/delivery-schemas.ts';
import type { ClockMove, ClockState } from '../../contract/emulator-schemas.ts';
import { formatDuration } from '../../domain/duration.ts';
import type { TerminalCapabilities } from '../io.ts';
import { renderFields } from './fields.ts';
import { formatDeliveryCount } from './format-count.ts';
import { describePaused, suggestEnable } from './paused.ts';
import { styleOutcome } from './style.ts';
import { type Column, renderTable } from './table.ts';
import { formatSecond, formatTime } from './time.ts';

/** The schedule clock of a workspace; the next attempt is told from its own time, not from that of the wall. */
export function renderClock(state: ClockState, terminalCapabilities: TerminalCapabilities): string {
  return renderFields(clockFields(state), terminalCapabilities);
}

/** The attempts that a move of the clock caused, and where it left the clock. */
export function renderClockMove(move: ClockMove, terminalCapabilities: TerminalCapabilities): string {
  const fields = [
    renderFields({ ...clockFields(move), Pending: formatDeliveryCount(move.pending) }, terminalCapabilities),
    ...move.paused.map((each) => `${describePaused([each])} ${suggestEnable([each])}`),
  ].join('\n');
  if (move.attempts.length === 0) return `No attempt fell due.\n\n${fields}`;
  return `${renderTable(attemptColumns(terminalCapabilities), move.attempts, terminalCapabilities)}\n\n${fields}`;
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

function attemptColumns(terminalCapabilities: TerminalCapabilities): readonly Column<AttemptSummary>[] {
  return [
    { title: 'SCHEDULED', value: ({ scheduled_at: at }) => formatSecond(at) },
    { title: 'OUTCOME', value: (attempt) => styleOutcome(attempt, terminalCapabilities) },
    { title: 'TOOK', value: ({ duration_ms: ms }) => formatDuration(ms), hideOrder: 2 },
    { title: 'TYPE', value: ({ event_type: type }) => type, hideOrder: 4 },
    { title: 'DELIVERY', value: ({ delivery_id: id }) => id },
    { title: 'TRY', value: ({ number }) => String(number), hideOrder: 3 },
    { title: 'ERROR', value: ({ error }) => error ?? '', hideOrder: 1, canTruncate: true },
  ];
}
