/** The option `--random-seed`, and the values that commands fill fixture templates with. */

import { createRandomSource } from '../domain/secret.ts';
import { createTemplateContexts, type TemplateContexts } from '../fixtures/template-contexts.ts';
import type { CliCommand } from './command.ts';
import type { Context } from './context.ts';

export interface SeedOptions {
  /** Text; the configuration parses it like `SVC_RANDOM_SEED`. */
  readonly randomSeed?: string;
}

export function addSeedOption(command: CliCommand): CliCommand {
  return command.option('--random-seed <n>', 'Seed that makes the generated values the same in every run');
}

/** Random values come from `--random-seed` or the configured seed, if there is one. */
export async function resolveTemplateContexts(
  { randomSeed }: SeedOptions,
  context: Context,
): Promise<TemplateContexts> {
  const { values } = await context.resolveConfig(randomSeed === undefined ? {} : { randomSeed });
  const { env, now } = context;
  return createTemplateContexts({ env, now, random: createRandomSource(values.randomSeed) });
}
