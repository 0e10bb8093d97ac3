/** `svc clock`: shows, sets and moves the schedule clock of a workspace. */
import { describePaused, suggestEnable } from '../../diagnosis/describe-wait.ts';
import { formatDuration } from '../../domain/duration.ts';
import { formatHint } from '../../domain/errors.ts';
import { formatDeliveryCount } from '../../domain/message-parts.ts';
import type { ControlInput } from '../../operations/control-operations.ts';
import type { ClockMove, ClockState } from '../../operations/emulator-schemas.ts';
import type { AttemptSummary } from '../../resources/attempt.ts';
import { describeRange } from '../../resources/validate.ts';
import { Speed } from '../../resources/value-schemas.ts';
import type { CommandGroup } from '../command.ts';
import type { Context } from '../context.ts';
import { operation } from '../operation-command.ts';
import { workspaceRow } from '../option-rows.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { withProgress } from '../progress.ts';
import { formatDue, formatSecond } from '../render/format.ts';
import { styleOutcome } from '../render/style.ts';
import { type Column, renderFields, renderTable } from '../render/table.ts';

const state = {
  options: { workspace_id: workspaceRow },
  render: (clock: ClockState, { io }: Context) => renderFields(clockFields(clock), io),
};
const move = {
  options: { workspace_id: workspaceRow },
  during: accompanyMove,
  render: (result: ClockMove, { io }: Context) => renderClockMove(result, io),
};

export const command = {
  commands: {
    show: operation('getClock', {
      ...state,
      summary: 'Show the schedule clock',
      examples: [['Show the schedule time, the speed and the next attempt', 'clock show']],
    }),
    speed: operation('setClock', {
      ...state,
      summary: 'Set the speed of the schedule clock',
      options: {
        speed: {
          argument: '<speed>',
          summary: `Seconds of schedule time per second of real time,${describeRange(Speed, String)}`,
        },
        workspace_id: workspaceRow,
      },
      examples: [
        ['Run the schedule clock at one hour per second', 'clock speed 3600'],
        ['Run the schedule clock in real time again', 'clock speed 1'],
      ],
    }),
    freeze: operation('setClock', {
      ...state,
      summary: 'Freeze the schedule clock',
      input: () => ({ frozen: true }),
      examples: [['Stop the schedule clock, so that no retry becomes due', 'clock freeze']],
    }),
    resume: operation('setClock', {
      ...state,
      summary: 'Resume a frozen schedule clock',
      input: () => ({ frozen: false }),
      examples: [['Resume the clock at its previous speed', 'clock resume']],
    }),
    advance: operation('advanceClock', {
      ...move,
      summary: 'Move the schedule clock forward and send every attempt that becomes due',
      options: {
        ms: { argument: '<duration>', summary: 'Time to move the clock forward, such as 5m or 72h' },
        workspace_id: workspaceRow,
      },
      examples: [
        ['Send the first retry, which is due after 5 minutes', 'clock advance 5m'],
        ['Skip the whole retry window and print the attempts as JSON', 'clock advance 72h --json'],
      ],
    }),
    next: operation('nextClock', {
      ...move,
      summary: 'Move the schedule clock to the next scheduled attempt',
      examples: [['Send the next retry now', 'clock next']],
    }),
    settle: operation('settleClock', {
      ...move,
      summary: 'Move the schedule clock until no delivery is pending',
      examples: [['Send every retry until each delivery has succeeded or failed', 'clock settle']],
    }),
  },
} satisfies CommandGroup;

async function accompanyMove(
  call: Promise<ClockMove>,
  { workspace_id }: ControlInput<'getClock'>,
  context: Context,
): Promise<ClockMove> {
  const control = await context.connect();
  return withProgress(context, async () => renderProgress(await control.getClock({ workspace_id })), call);
}

/** Fits into 80 columns. */
function renderProgress({ now, next_due_at: next }: ClockState): string {
  return `Clock ${formatSecond(now)}${next === null ? '' : `, next ${formatSecond(next)}`}`;
}

export function renderClockMove(move: ClockMove, capabilities: TerminalCapabilities): string {
  const fields = [
    renderFields({ ...clockFields(move), Pending: formatDeliveryCount(move.pending) }, capabilities),
    ...move.paused.map(
      (endpoint) => `${describePaused([endpoint])} ${formatHint(suggestEnable([endpoint]))}`,
    ),
  ].join('\n');
  if (move.attempts.length === 0) return `No attempt was due.\n\n${fields}`;
  return `${renderTable(attemptColumns(capabilities), move.attempts, capabilities)}\n\n${fields}`;
}

function clockFields({ workspace_id, now, speed, wall, next_due_at }: ClockState) {
  return {
    Workspace: workspace_id,
    'Schedule time': now,
    'Wall time': wall,
    Speed: speed === 0 ? 'frozen' : `${speed}×`,
    'Next attempt': next_due_at === null ? 'none scheduled' : formatDue(next_due_at, Date.parse(now)),
  };
}

function attemptColumns(capabilities: TerminalCapabilities): readonly Column<AttemptSummary>[] {
  return [
    { title: 'SCHEDULED', value: ({ scheduled_at: at }) => formatSecond(at) },
    { title: 'OUTCOME', value: (attempt) => styleOutcome(attempt, capabilities) },
    { title: 'TOOK', value: ({ duration_ms: ms }) => formatDuration(ms), hideOrder: 2 },
    { title: 'TYPE', value: ({ event_type: type }) => type, hideOrder: 4 },
    { title: 'DELIVERY', value: ({ delivery_id: id }) => id },
    { title: 'ATTEMPT', value: ({ number }) => String(number), hideOrder: 3 },
    { title: 'ERROR', value: ({ error }) => error ?? '', hideOrder: 1, canTruncate: true },
  ];
}
