/** The values that fill the templates of several events, one after the other. */

import type { ControlPlane } from '../../contract/control-plane.ts';
import { extrapolateScheduleTime } from '../../domain/clock.ts';
import type { TemplateContext } from '../../fixtures/template-generators.ts';
import { monotonic } from '../../timers.ts';

export interface TemplateContexts {
  /** The context of the next event: a new sequence number and new random values. */
  next(): TemplateContext;
  /** Makes later times those of the schedule clock of a workspace. Without this call they are wall times. */
  useScheduleClock(control: Pick<ControlPlane, 'getClock'>, workspaceId: string): Promise<void>;
}

export function createTemplateContexts({
  env,
  random,
  now,
}: Pick<TemplateContext, 'env' | 'random'> & { readonly now: () => number }): TemplateContexts {
  let sequence = 0;
  let getTime = now;
  return {
    next: () => ({ env, random, now: getTime(), sequence: ++sequence }),
    async useScheduleClock(control, workspaceId) {
      const clock = await control.getClock({ workspace_id: workspaceId });
      const receivedAt = monotonic();
      getTime = () => extrapolateScheduleTime(clock, monotonic() - receivedAt);
    },
  };
}
