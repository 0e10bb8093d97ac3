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
  const known = new Map<string, { readonly clock: ClockState; readonly seenAt: number }>();
  return {
    get(workspaceId) {
      const entry = known.get(workspaceId);
      if (entry === undefined) return null;
      const { clock, seenAt } = entry;
      const now = extrapolateScheduleTime(clock, performance.now() - seenAt);
      return { now, frozen: clock.rate === 0 };
    },
    async refresh(workspaceIds) {
      const looks = Array.from(workspaceIds, async (workspace_id) => {
        const clock = await control.getClock({ workspace_id });
        known.set(workspace_id, { clock, seenAt: performance.now() });
      });
      await Promise.all(looks);
    },
  };
}
