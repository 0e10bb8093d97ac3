/** `svc clock`: shows, sets and moves the schedule clock of a workspace. */
import { InvalidArgumentError } from 'commander';
import { abortAfter } from '../../abort-signals.ts';
import { pollUntil } from '../../client/poll-until.ts';
import { describePaused } from '../../client/texts/describe-unsettled.ts';
import { MAX_ADVANCE_MS } from '../../contract/control-operations.ts';
import type { ControlPlane } from '../../contract/control-plane.ts';
import type { AttemptSummary } from '../../contract/delivery-schemas.ts';
import type { ClockMove, ClockState } from '../../contract/emulator-schemas.ts';
import { formatDuration } from '../../domain/duration.ts';
import { formatCount, formatDeliveryCount } from '../../domain/message-parts.ts';
import { formatHint } from '../../errors.ts';
import { describeRange } from '../../validation/validate.ts';
import { Speed, wholeNumberFrom } from '../../validation/value-schemas.ts';
import { AskedArgument, type CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { suggestEnable } from '../delivery-wait.ts';
import { addWorkspaceOption, durationParser, schemaParser } from '../option-parsers.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { withProgress } from '../progress.ts';
import { askText } from '../prompt.ts';
import { formatDue, formatSecond } from '../render/format.ts';
import { styleOutcome } from '../render/style.ts';
import { type Column, renderFields, renderTable } from '../render/table.ts';

interface ClockOptions {
  readonly workspace?: string;
}

interface WorkspaceInput {
  readonly workspace_id: string;
}

/** How long to wait for the clock to stop after an interruption. */
const STOP_TIMEOUT_MS = 1_000;
/** Time limit of all requests after an interruption. */
const CLEANUP_TIMEOUT_MS = 2_000;

export const show: CommandDefinition<ClockOptions> = {
  configure: addWorkspaceOption,
  examples: [
    ['Show the schedule time, the speed and the next attempt', 'clock show'],
    ['Print the schedule clock as JSON', 'clock show --json'],
  ],
  run: (options, context) =>
    printClock(options, context, (control, workspace) => control.getClock(workspace)),
};

export const speed: CommandDefinition<ClockOptions & { readonly speed: number }> = {
  configure: (command) =>
    addWorkspaceOption(command).argument(
      '<speed>',
      `Seconds of schedule time per second of real time,${describeRange(Speed, String)}`,
      parseSpeed,
    ),
  examples: [
    ['Run the schedule clock at one hour per second', 'clock speed 3600'],
    ['Run the schedule clock in real time again', 'clock speed 1'],
  ],
  // A frozen clock stays frozen; `svc clock resume` starts it at this speed.
  run: ({ speed, ...options }, context) =>
    printClock(options, context, (control, workspace) => control.setClock({ ...workspace, speed })),
};

export const freeze: CommandDefinition<ClockOptions> = {
  configure: addWorkspaceOption,
  examples: [['Stop the schedule clock, so that no retry becomes due', 'clock freeze']],
  run: (options, context) =>
    printClock(options, context, (control, workspace) => control.setClock({ ...workspace, frozen: true })),
};

export const resume: CommandDefinition<ClockOptions> = {
  configure: addWorkspaceOption,
  examples: [['Resume the clock at its previous speed', 'clock resume']],
  run: (options, context) =>
    printClock(options, context, (control, workspace) => control.setClock({ ...workspace, frozen: false })),
};

export const advance: CommandDefinition<ClockOptions & { readonly duration?: number }> = {
  configure: (command) =>
    addWorkspaceOption(command).addArgument(
      new AskedArgument('duration', 'Time to move the clock forward, such as 5m or 72h').argParser(
        parseAdvance,
      ),
    ),
  examples: [
    ['Send the first retry, which is due after 5 minutes', 'clock advance 5m'],
    ['Skip the whole retry window and print the attempts as JSON', 'clock advance 72h --json'],
  ],
  async run({ duration, ...options }, context) {
    const ms = duration ?? (await askText(context, 'duration', parseAdvance));
    return moveClock(options, context, (control, workspace) => control.advanceClock({ ...workspace, ms }));
  },
};

export const next: CommandDefinition<ClockOptions> = {
  configure: addWorkspaceOption,
  examples: [['Send the next retry now', 'clock next']],
  run: (options, context) =>
    moveClock(options, context, (control, workspace) => control.nextClock(workspace)),
};

export const settle: CommandDefinition<ClockOptions> = {
  configure: addWorkspaceOption,
  examples: [
    ['Send every retry until each delivery has succeeded or failed', 'clock settle'],
    ['Print the attempts as JSON', 'clock settle --json'],
  ],
  run: (options, context) =>
    moveClock(options, context, (control, workspace) => control.settleClock(workspace)),
};

/** `svc clock show` prints a speed as `60×`. */
const parseSpeed = (text: string) => schemaParser(Speed)(text.replace(/[x×]$/, ''));

function parseAdvance(text: string): number {
  if (text.startsWith('-')) {
    throw new InvalidArgumentError('Pass a duration such as 5m: the clock only moves forward.');
  }
  return durationParser(wholeNumberFrom(0, MAX_ADVANCE_MS))(text);
}

/** Prints the state that `call` returns. */
async function printClock(
  options: ClockOptions,
  context: Context,
  call: (control: ControlPlane, workspace: WorkspaceInput) => Promise<ClockState>,
): Promise<void> {
  const control = await context.connect();
  const state = await call(control, await toWorkspaceInput(options, context));
  context.print(state, () => renderFields(clockFields(state), context.io));
}

/** Moves the clock with `call`, which returns when every attempt that became due has a result. */
async function moveClock(
  options: ClockOptions,
  context: Context,
  call: (control: ControlPlane, workspace: WorkspaceInput) => Promise<ClockMove>,
): Promise<void> {
  const control = await context.connect();
  const workspace = await toWorkspaceInput(options, context);
  const getProgress = async () => renderProgress(await control.getClock(workspace));
  try {
    const move = await withProgress(context, getProgress, call(control, workspace));
    context.print(move, () => renderClockMove(move, context.io));
  } catch (error) {
    // The emulator may have been interrupted too: then there is no clock to report.
    if (context.signal.aborted && !context.json) await reportStoppedClock(workspace, context).catch(() => {});
    throw error;
  }
}

async function toWorkspaceInput({ workspace }: ClockOptions, context: Context): Promise<WorkspaceInput> {
  return { workspace_id: workspace ?? (await context.getWorkspaceId()) };
}

/** Fits into 80 columns. */
function renderProgress({ now, next_due_at: next, moving }: ClockState): string {
  const sent = `Sent ${formatCount(moving?.attempts ?? 0, 'attempt')}`;
  return `${sent}, clock ${formatSecond(now)}${next === null ? '' : `, next ${formatSecond(next)}`}`;
}

/** The emulator stops the clock when the interruption closes the connection. */
async function reportStoppedClock(workspace: WorkspaceInput, context: Context): Promise<void> {
  const signal = abortAfter(CLEANUP_TIMEOUT_MS);
  const control = await context.connect(signal);
  const { now } = await pollUntil(
    () => control.getClock(workspace),
    ({ moving }) => moving === undefined,
    { timeoutMs: STOP_TIMEOUT_MS, signal },
  );
  context.io.note(
    `Interrupted. The clock stopped at ${now}. Deliveries that are due by then are still sent.`,
  );
}

/** The attempts that a move of the clock caused, and the clock after it. */
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
