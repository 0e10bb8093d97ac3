/** What the templates of fixtures are filled from in a command. */
import type { Command } from 'commander';
import { createRandomness } from '../domain/random.ts';
import type { TemplateScope } from '../fixtures/generators.ts';
import type { Context } from './context.ts';

export interface SeedOptions {
  /** As it was written; a setting like `SVC_RANDOM_SEED`. */
  readonly randomSeed?: string;
}

export function addSeedOption(command: Command): Command {
  return command.option('--random-seed <n>', 'the same generated values on every run');
}

/**
 * A source of scopes, one for each event: variables of the environment, chance from the configured seed, and the time
 * of the workspace's schedule clock, as it goes on from what it shows now.
 */
export async function createTemplateScopes(
  { randomSeed, workspaceId }: SeedOptions & { readonly workspaceId: string },
  context: Context,
): Promise<() => TemplateScope> {
  const { values } = await context.config(randomSeed === undefined ? {} : { randomSeed });
  const control = await context.connect();
  const clock = await control.getClock({ workspace_id: workspaceId });
  const shownAt = performance.now();
  const random = createRandomness(values.randomSeed);
  let sequence = 0;
  return () => ({
    env: context.env,
    random,
    now: Date.parse(clock.now) + clock.rate * (performance.now() - shownAt),
    sequence: ++sequence,
  });
}
