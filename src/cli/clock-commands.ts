/** What the clock commands share: the option that names the workspace, and how the clock is printed. */
import type { Command } from 'commander';
import type { ClockMove, ClockState } from '../contract/emulator-schemas.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import { abortAfter } from '../timers.ts';
import type { Context } from './context.ts';
import { pollUntil } from './poll-until.ts';
import { withProgress } from './progress.ts';
import { renderClock, renderClockMove } from './render/clock.ts';
import { formatCount } from './render/format-count.ts';
import { formatSecond } from './render/time.ts';

/** Real time, after an interruption, for the clock to stop, and for all that is asked about it. */
const STOP_TIMEOUT_MS = 1_000;
const CLEANUP_TIMEOUT_MS = 2_000;

export interface ClockOptions {
  readonly workspace?: string;
}

export function addClockOptions(command: Command): Command {
  return command.option(
    '--workspace <id>',
    'the workspace; otherwise SVC_WORKSPACE_ID, or the one made at boot',
  );
}

/** The workspace whose clock is meant, as a request names it. */
interface WorkspaceRef {
  readonly workspace_id: string;
}

/** Shows the clock, or sets it: whatever `call` does. */
export async function printClock(
  { workspace }: ClockOptions,
  context: Context,
  call: (control: ControlPlane, subject: WorkspaceRef) => Promise<ClockState>,
): Promise<void> {
  const control = await context.connect();
  const state = await call(control, { workspace_id: workspace ?? (await context.workspaceId()) });
  context.print(state, () => renderClock(state, context.io));
}

/** Moves the clock with `call`, which comes back when all that falls due on the way is answered. */
export async function moveClock(
  { workspace }: ClockOptions,
  context: Context,
  call: (control: ControlPlane, subject: WorkspaceRef) => Promise<ClockMove>,
): Promise<void> {
  const control = await context.connect();
  const subject = { workspace_id: workspace ?? (await context.workspaceId()) };
  const look = async () => renderProgress(await control.getClock(subject));
  try {
    const move = await withProgress(context, look, call(control, subject));
    context.print(move, () => renderClockMove(move, context.io));
  } catch (error) {
    // An emulator that has ended as well has nothing to say about its clock.
    if (context.signal.aborted && !context.json) await reportStoppedClock(subject, context).catch(() => {});
    throw error;
  }
}

function renderProgress({ now, next_due_at: next, moving }: ClockState): string {
  const sent = `Sent ${formatCount(moving?.attempts ?? 0, 'attempt')}`;
  // All of it fits into 80 columns.
  return `${sent}, clock ${formatSecond(now)}${next === null ? '' : `, next ${formatSecond(next)}`}`;
}

/** The interruption closed the connection, which stops the clock. */
async function reportStoppedClock(subject: WorkspaceRef, context: Context): Promise<void> {
  const signal = abortAfter(CLEANUP_TIMEOUT_MS);
  const control = await context.connect(signal);
  const look = () => control.getClock(subject);
  const hasStopped = ({ moving }: ClockState) => moving === undefined;
  const { now } = await pollUntil(look, hasStopped, { timeoutMs: STOP_TIMEOUT_MS, signal });
  context.io.note(
    `Interrupted. The clock stopped at ${now}. Deliveries that are due by then are still sent.`,
  );
}
