/** The clock operations of the control plane. */
import type { ClockMove, ClockState } from '../contract/emulator.ts';
import type { ClockDriver } from '../delivery/clock-driver.ts';
import type { LiveWorkspace } from '../sandbox/live-workspaces.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { toAttemptSummary } from '../store/attempts.ts';
import { findWorkspace } from './filters.ts';
import type { CheckedCalls } from './local.ts';

type ClockCalls = Pick<CheckedCalls, 'getClock' | 'setClock' | 'advanceClock' | 'nextClock' | 'settleClock'>;

export function createClockCalls(sandbox: Sandbox, driver: ClockDriver): ClockCalls {
  const { store, wall } = sandbox;
  const workspaceOf = (input: { workspace_id?: string | undefined }) =>
    findWorkspace(sandbox, input.workspace_id) ?? sandbox.workspaces.default;

  function stateOf(workspace: LiveWorkspace): ClockState {
    const { id, clock } = workspace;
    const dueAt = driver.findNextDueAt(workspace);
    const caused = driver.countCaused(workspace);
    return {
      workspace_id: id,
      now: new Date(clock.now()).toISOString(),
      rate: clock.rate,
      wall: new Date(wall.now()).toISOString(),
      next_due_at: dueAt === null ? null : new Date(dueAt).toISOString(),
      ...(caused === null ? {} : { moving: { attempts: caused } }),
    };
  }

  /** With everything sent in the workspace since its clock began to move, whoever planned it. */
  async function tell(workspace: LiveWorkspace, moving: Promise<number>): Promise<ClockMove> {
    const begin = await moving;
    return {
      ...stateOf(workspace),
      attempts: store.attempts.listOfWorkspace(workspace.seq, begin).map(toAttemptSummary),
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
