/** The schedule clocks of workspaces, extrapolated between two requests. */
import type { ClockState } from '../../contract/emulator-schemas.ts';
import type { ControlPlane } from '../../control/control-plane.ts';
import { extrapolateScheduleTime } from '../../domain/clock.ts';
import type { ScheduleTime } from './attempt-rows.ts';

export interface ScheduleClocks {
  /** Null for a workspace that was not refreshed. */
  get(workspaceId: string): ScheduleTime | null;
  /** Requests the clocks of these workspaces. */
  refresh(workspaceIds: Iterable<string>): Promise<void>;
}

export function createScheduleClocks(control: Pick<ControlPlane, 'getClock'>): ScheduleClocks {
  const responses = new Map<string, { readonly clock: ClockState; readonly receivedAt: number }>();
  return {
    get(workspaceId) {
      const response = responses.get(workspaceId);
      if (response === undefined) return null;
      const { clock, receivedAt } = response;
      const now = extrapolateScheduleTime(clock, performance.now() - receivedAt);
      return { now, frozen: clock.rate === 0 };
    },
    async refresh(workspaceIds) {
      const requests = Array.from(workspaceIds, async (workspace_id) => {
        const clock = await control.getClock({ workspace_id });
        responses.set(workspace_id, { clock, receivedAt: performance.now() });
      });
      await Promise.all(requests);
    },
  };
}
