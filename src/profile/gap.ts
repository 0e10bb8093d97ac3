/** The types of an entry of the gap register. */
import type { GapSchema } from './gap-schemas.ts';

export const profileNames = ['relaxed', 'strict'] as const;
export type ProfileName = (typeof profileNames)[number];

/** A value as the configuration file contains it, such as `"5m"` or `{"per_second": 100, "burst": 200}`. */
export type ConfigValue =
  | string
  | number
  | readonly ConfigValue[]
  | { readonly [field: string]: ConfigValue };

interface GapText {
  /** What the service description leaves open. */
  readonly question: string;
  /** Statements of docs/service.md that raise the question or support the answer, such as `§6.2`. */
  readonly references: readonly string[];
  /** Why the emulator gives this answer. */
  readonly reason: string;
}

interface FixedGap extends GapText {
  readonly answer: string;
}

/** A gap that configuration can override. `T` is the type of the parsed answer. */
export interface ConfigurableGap<T = unknown> extends GapText {
  readonly schema: GapSchema<T>;
  readonly relaxed: ConfigValue;
  /** The answer of the strict profile, if it differs. */
  readonly strict?: ConfigValue;
  /** The answer in the production environment for every profile, if the description requires more there. */
  readonly production?: ConfigValue;
}

export type Gap = FixedGap | ConfigurableGap;

export function isConfigurable(gap: Gap): gap is ConfigurableGap {
  return 'schema' in gap;
}

/** The names of fields in an answer. */
export function formatNames(fields: object): string {
  return `\`${Object.keys(fields).join('`, `')}\``;
}
