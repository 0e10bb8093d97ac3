/** The types of an entry of the gap register. */

import type { Environment } from '../domain/environment.ts';
import type { ProfileName } from './rules.ts';
import type { ValueSchema } from './value-schema.ts';

/** A value as it is written in configuration, such as `"5m"` or `{"per_second": 100, "burst": 200}`. */
export type ConfigValue =
  | string
  | number
  | readonly ConfigValue[]
  | { readonly [member: string]: ConfigValue };

interface GapText {
  /** What the service description leaves open. */
  readonly question: string;
  /** Sections that raise the question or support the answer: `§6.2` is rule 2 of section 6. */
  readonly references: readonly string[];
  readonly reason: string;
}

/** A gap with a fixed answer. */
export interface FixedGap extends GapText {
  readonly answer: string;
}

/** A gap that configuration can override. `T` is the type of the parsed answer. */
export interface ConfigurableGap<T = unknown> extends GapText {
  readonly schema: ValueSchema<T>;
  readonly relaxed: ConfigValue;
  /** The answer of the strict profile, if it differs. */
  readonly strict?: ConfigValue;
  /** The answer in the production environment for every profile, if the description requires more there. */
  readonly production?: ConfigValue;
}

export type Gap = FixedGap | ConfigurableGap;

/** The answer of a profile without overrides. */
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
