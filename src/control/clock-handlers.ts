/** The handlers of the clock operations. */
import type { ClockMove, ClockState } from '../contract/emulator-schemas.ts';
import type { ClockController } from '../delivery/clock-controller.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { LoadedWorkspace } from '../sandbox/workspace-registry.ts';
import { toAttemptSummary } from '../store/attempts.ts';
import type { ControlHandlers } from './control-plane.ts';
import { findWorkspace } from './store-filters.ts';

type ClockHandlers = Pick<
  ControlHandlers,
  'getClock' | 'setClock' | 'advanceClock' | 'nextClock' | 'settleClock'
>;

export function createClockHandlers(sandbox: Sandbox, driver: ClockController): ClockHandlers {
  const { store, wall } = sandbox;
  const workspaceOf = (input: { workspace_id?: string | undefined }) =>
    findWorkspace(sandbox, input.workspace_id) ?? sandbox.workspaces.default;

  function stateOf(workspace: LoadedWorkspace): ClockState {
    const { id, clock } = workspace;
    const dueAt = driver.findNextDueAt(workspace);
    const caused = driver.countAttemptsOfMove(workspace);
    return {
      workspace_id: id,
      now: new Date(clock.now()).toISOString(),
      rate: clock.rate,
      wall: new Date(wall.now()).toISOString(),
      next_due_at: dueAt === null ? null : new Date(dueAt).toISOString(),
      ...(caused === null ? {} : { moving: { attempts: caused } }),
    };
  }

  /** The clock with all attempts that were sent in the workspace since the move began. */
  async function tell(workspace: LoadedWorkspace, moving: Promise<number>): Promise<ClockMove> {
    const begin = await moving;
    return {
      ...stateOf(workspace),
      attempts: store.attempts.listByWorkspace(workspace.seq, begin).map(toAttemptSummary),
      pending: store.deliveries.countPending(workspace.seq),
      paused: store.deliveries.countPaused(workspace.seq),
    };
  }

  return {
    getClock: async (input) => stateOf(workspaceOf(input)),
    setClock: async ({ speed, frozen, ...input }) => {
      const workspace = workspaceOf(input);
      await driver.set(workspace, {
        ...(speed === undefined ? {} : { speed }),
        ...(frozen === undefined ? {} : { frozen }),
      });
      return stateOf(workspace);
    },
    advanceClock: ({ ms, ...input }, signal) => {
      const workspace = workspaceOf(input);
      return tell(workspace, driver.advance(workspace, ms, signal));
    },
    nextClock: (input, signal) => {
      const workspace = workspaceOf(input);
      return tell(workspace, driver.next(workspace, signal));
    },
    settleClock: (input, signal) => {
      const workspace = workspaceOf(input);
      return tell(workspace, driver.settle(workspace, signal));
    },
  };
}
