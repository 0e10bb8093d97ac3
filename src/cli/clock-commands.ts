/** What the clock commands share: the option that names the workspace, and how the clock is printed. */
import type { Command } from 'commander';
import type { ClockMove, ClockState } from '../contract/emulator.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import type { Context } from './context.ts';
import { showWhile } from './progress.ts';
import { renderClock, renderClockMove } from './render/clock.ts';

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
interface Subject {
  readonly workspace_id: string;
}

/** Shows the clock, or sets it: whatever `call` does. */
export async function printClock(
  { workspace }: ClockOptions,
  context: Context,
  call: (control: ControlPlane, subject: Subject) => Promise<ClockState>,
): Promise<void> {
  const control = await context.connect();
  const state = await call(control, { workspace_id: workspace ?? (await context.workspaceId()) });
  context.print(state, () => renderClock(state, context.io));
}

/** Moves the clock with `call`, which comes back when all that falls due on the way is answered. */
export async function printClockMove(
  { workspace }: ClockOptions,
  context: Context,
  call: (control: ControlPlane, subject: Subject) => Promise<ClockMove>,
): Promise<void> {
  const control = await context.connect();
  const subject = { workspace_id: workspace ?? (await context.workspaceId()) };
  const look = async () => {
    const { now, next_due_at: next } = await control.getClock(subject);
    return `Sending. Schedule time ${now}${next === null ? '' : `, next ${next}`}`;
  };
  const move = await showWhile(context, look, call(control, subject));
  context.print(move, () => renderClockMove(move, context.io));
}
