/** The option `--random-seed`, and the values that commands fill fixture templates with. */

import { createRandomSource } from '../domain/secret.ts';
import { createTemplateContexts, type TemplateContexts } from '../fixtures/template-contexts.ts';
import type { Context } from './context.ts';

/** Its value is text, which the configuration parses like `SVC_RANDOM_SEED`. */
export const randomSeedRow = {
  option: '--random-seed <n>',
  summary: 'Seed that makes the generated values the same in every run',
} as const;

/** Random values come from `--random-seed` or the configured seed, if there is one. */
export async function resolveTemplateContexts(
  { randomSeed }: { readonly randomSeed?: string },
  context: Context,
): Promise<TemplateContexts> {
  const { values } = await context.resolveConfig(randomSeed === undefined ? {} : { randomSeed });
  const { env, now } = context;
  return createTemplateContexts({ env, now, random: createRandomSource(values.randomSeed) });
}
