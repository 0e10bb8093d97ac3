/** What one row of the gap register is made of. */

import type { Environment } from '../domain/environment.ts';
import type { ProfileName } from './rules.ts';
import type { ValueSchema } from './value-schema.ts';

/** A value as a person writes it in JSON, such as `"5m"` or `{"per_second": 100, "burst": 200}`. */
export type ConfigValue =
  | string
  | number
  | readonly ConfigValue[]
  | { readonly [member: string]: ConfigValue };

interface GapText {
  /** What the service description leaves open. */
  readonly question: string;
  /** Where it does so, or what speaks for the answer: `§6.2` is rule 2 of section 6. */
  readonly references: readonly string[];
  readonly reason: string;
}

/** A row with one answer for everybody. */
export interface FixedGap extends GapText {
  readonly answer: string;
}

/** A row that configuration can answer otherwise. `T` is the plain value that the answer is read as. */
export interface ConfigurableGap<T = unknown> extends GapText {
  readonly schema: ValueSchema<T>;
  readonly relaxed: ConfigValue;
  /** The answer of the strict profile, where it is another. */
  readonly strict?: ConfigValue;
  /** The answer in the production environment under every profile, where the description asks more of it. */
  readonly production?: ConfigValue;
}

export type Gap = FixedGap | ConfigurableGap;

/** The answer of a profile before anything is overridden. */
export function defaultAnswer(
  gap: ConfigurableGap,
  profile: ProfileName,
  environment: Environment,
): ConfigValue {
  if (environment === 'production' && gap.production !== undefined) return gap.production;
  return profile === 'strict' && gap.strict !== undefined ? gap.strict : gap.relaxed;
}

export function isConfigurable(gap: Gap): gap is ConfigurableGap {
  return 'schema' in gap;
}
