/** What the templates of fixtures are filled from in a command. */
import type { Command } from 'commander';
import type { ControlPlane } from '../control/control-plane.ts';
import { createRandomSource } from '../domain/random-source.ts';
import type { TemplateContext } from '../fixtures/template-generators.ts';
import type { Context } from './context.ts';

export interface SeedOptions {
  /** As it was written; a setting like `SVC_RANDOM_SEED`. */
  readonly randomSeed?: string;
}

export function addSeedOption(command: Command): Command {
  return command.option('--random-seed <n>', 'the same generated values on every run');
}

export interface TemplateScopes {
  /** For the next event: its own number, further chance. */
  next(): TemplateContext;
  /** Reads a workspace's schedule clock, from which times go on; until then they are wall times. */
  useScheduleClock(control: Pick<ControlPlane, 'getClock'>, workspaceId: string): Promise<void>;
}

/** Values from the variables of the environment and from chance, of the configured seed where there is one. */
export async function createTemplateScopes(
  { randomSeed }: SeedOptions,
  context: Context,
): Promise<TemplateScopes> {
  const { values } = await context.config(randomSeed === undefined ? {} : { randomSeed });
  const random = createRandomSource(values.randomSeed);
  let sequence = 0;
  let now = context.now;
  return {
    next: () => ({ env: context.env, random, now: now(), sequence: ++sequence }),
    async useScheduleClock(control, workspaceId) {
      const clock = await control.getClock({ workspace_id: workspaceId });
      const shownAt = performance.now();
      now = () => Date.parse(clock.now) + clock.rate * (performance.now() - shownAt);
    },
  };
}
