/** What one row of the gap register is made of. */

import type { Environment } from '../domain/access.ts';
import type { Form } from './form.ts';
import type { ProfileName } from './rules.ts';

/** A value as a person writes it in JSON, such as `"5m"` or `{"per_second": 100, "burst": 200}`. */
export type Written = string | number | readonly Written[] | { readonly [member: string]: Written };

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
export interface OpenGap<T = unknown> extends GapText {
  readonly form: Form<T>;
  readonly relaxed: Written;
  /** The answer of the strict profile, where it is another. */
  readonly strict?: Written;
  /** The answer in the production environment under every profile, where the description asks more of it. */
  readonly production?: Written;
}

export type Gap = FixedGap | OpenGap;

/** The answer of a profile before anything is overridden. */
export function defaultAnswer(gap: OpenGap, profile: ProfileName, environment: Environment): Written {
  if (environment === 'production' && gap.production !== undefined) return gap.production;
  return profile === 'strict' && gap.strict !== undefined ? gap.strict : gap.relaxed;
}

export function isOpen(gap: Gap): gap is OpenGap {
  return 'form' in gap;
}
