/** The handlers of the clock operations. */

import type { ControlHandlers } from '../../operations/control-plane.ts';
import type { ClockMove, ClockState } from '../../operations/emulator-schemas.ts';
import { toAttemptSummary } from '../../store/attempts.ts';
import type { ClockController } from '../deliveries/clock-controller.ts';
import type { Sandbox } from '../service/sandbox.ts';
import type { LoadedWorkspace } from '../service/workspace-registry.ts';
import { findWorkspace } from './to-condition.ts';

export function createClockHandlers(sandbox: Sandbox, clockController: ClockController) {
  const { store, wall } = sandbox;
  const getWorkspace = (input: { workspace_id?: string | undefined }) =>
    findWorkspace(sandbox, input.workspace_id) ?? sandbox.workspaces.default;

  function describeClock(workspace: LoadedWorkspace): ClockState {
    const { id, clock } = workspace;
    const dueAt = clockController.findNextDueAt(workspace);
    return {
      workspace_id: id,
      now: new Date(clock.now()).toISOString(),
      speed: clock.currentSpeed,
      wall: new Date(wall.now()).toISOString(),
      next_due_at: dueAt === null ? null : new Date(dueAt).toISOString(),
    };
  }

  /** The clock with all attempts that were sent in the workspace since the move began. */
  async function toClockMove(workspace: LoadedWorkspace, move: Promise<number>): Promise<ClockMove> {
    const startSeq = await move;
    return {
      ...describeClock(workspace),
      attempts: store.attempts.listByWorkspace(workspace.seq, startSeq).map(toAttemptSummary),
      pending: store.deliveries.countPending(workspace.seq),
      paused: store.deliveries.countPaused(workspace.seq),
    };
  }

  return {
    getClock: async (input) => describeClock(getWorkspace(input)),
    setClock: async ({ speed, frozen, ...input }) => {
      const workspace = getWorkspace(input);
      await clockController.set(workspace, { speed, frozen });
      return describeClock(workspace);
    },
    advanceClock: ({ ms, to, ...input }, signal) => {
      const workspace = getWorkspace(input);
      const move =
        to === undefined
          ? clockController.advance(workspace, ms ?? 0, signal)
          : clockController.advanceTo(workspace, Date.parse(to), signal);
      return toClockMove(workspace, move);
    },
    nextClock: (input, signal) => {
      const workspace = getWorkspace(input);
      return toClockMove(workspace, clockController.next(workspace, signal));
    },
    settleClock: (input, signal) => {
      const workspace = getWorkspace(input);
      return toClockMove(workspace, clockController.settle(workspace, signal));
    },
  } satisfies Partial<ControlHandlers>;
}
