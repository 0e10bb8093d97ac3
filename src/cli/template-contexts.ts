/** The values that commands fill fixture templates with. */
import type { Command } from 'commander';
import type { ControlPlane } from '../control/control-plane.ts';
import { extrapolateScheduleTime } from '../domain/clock.ts';
import { createRandomSource } from '../domain/secret.ts';
import type { TemplateContext } from '../fixtures/template-generators.ts';
import type { Context } from './context.ts';

export interface SeedOptions {
  /** Text; the configuration parses it like `SVC_RANDOM_SEED`. */
  readonly randomSeed?: string;
}

export function addSeedOption(command: Command): Command {
  return command.option('--random-seed <n>', 'Seed that makes the generated values the same in every run');
}

export interface TemplateContexts {
  /** The context of the next event: a new sequence number and new random values. */
  next(): TemplateContext;
  /** Makes later times those of the schedule clock of a workspace. Without this call they are wall times. */
  useScheduleClock(control: Pick<ControlPlane, 'getClock'>, workspaceId: string): Promise<void>;
}

/** Random values come from `--random-seed` or the configured seed, if there is one. */
export async function createTemplateContexts(
  { randomSeed }: SeedOptions,
  context: Context,
): Promise<TemplateContexts> {
  const { values } = await context.resolveConfig(randomSeed === undefined ? {} : { randomSeed });
  const random = createRandomSource(values.randomSeed);
  let sequence = 0;
  let getTime = context.now;
  return {
    next: () => ({ env: context.env, random, now: getTime(), sequence: ++sequence }),
    async useScheduleClock(control, workspaceId) {
      const clock = await control.getClock({ workspace_id: workspaceId });
      const receivedAt = performance.now();
      getTime = () => extrapolateScheduleTime(clock, performance.now() - receivedAt);
    },
  };
}
