/** The answer to every row of the register that has a choice: that of the profile, or what configuration put there. */

import type { Environment } from '../domain/environment.ts';
import { SvcError } from '../errors.ts';
import { type ConfigurableGap, type ConfigValue, defaultAnswer, type Gap, isConfigurable } from './gap.ts';
import { type ConfigurableGapId, type GapId, gapIds, gaps } from './gaps.ts';
import type { ProfileName } from './rules.ts';
import { isObject, unknownKeyError, type ValueLocation } from './value-schema.ts';

/** Answers that replace those of the profile, by row. An object replaces only the members that it names. */
export type Overrides = Readonly<Record<string, unknown>>;

export interface GapAnswer {
  /** As written in configuration, checked. */
  readonly written: ConfigValue;
  /** What the written answer is read as. */
  readonly value: unknown;
  /** The profile's own answer. */
  readonly default: ConfigValue;
  readonly overridden: boolean;
}

export const configurableGapIds: readonly ConfigurableGapId[] = gapIds.filter(isOpenGapId);

/** @throws SvcError `validation_failed` that names the path of what is not acceptable, and what is. */
export function applyOverrides(
  profile: ProfileName,
  overrides: Overrides,
  environment: Environment,
): Readonly<Record<ConfigurableGapId, GapAnswer>> {
  for (const id of Object.keys(overrides)) checkRow(id);
  const answers = configurableGapIds.map((id) => [id, answerGap(id, profile, overrides, environment)]);
  return Object.fromEntries(answers) as Record<ConfigurableGapId, GapAnswer>;
}

function answerGap(
  id: ConfigurableGapId,
  profile: ProfileName,
  overrides: Overrides,
  environment: Environment,
): GapAnswer {
  const gap: ConfigurableGap = gaps[id];
  const byProfile = defaultAnswer(gap, profile, environment);
  const overridden = Object.hasOwn(overrides, id);
  const written = overridden ? complete(overrides[id], byProfile) : byProfile;
  const value = gap.schema.parse(written, placeOf(id));
  return { written: written as ConfigValue, value, default: byProfile, overridden };
}

/** Members that an override leaves out keep the answer of the profile. */
function complete(override: unknown, byProfile: ConfigValue): unknown {
  return isObject(override) && isObject(byProfile) ? { ...byProfile, ...override } : override;
}

function checkRow(id: string): void {
  if (!Object.hasOwn(gaps, id))
    throw unknownKeyError(id, configurableGapIds, { path: 'overrides', hint: HINT });
  const gap: Gap = gaps[id as GapId];
  if (!isConfigurable(gap)) {
    throw new SvcError(
      'validation_failed',
      `${placeOf(id).path} cannot be overridden; it is: ${gap.answer}.`,
      {
        hint: `Remove it. ${HINT}`,
      },
    );
  }
}

const HINT = '`svc gaps` lists every row and its choices.';

function placeOf(id: string): ValueLocation {
  return { path: `overrides[${JSON.stringify(id)}]`, hint: HINT };
}

function isOpenGapId(id: GapId): id is ConfigurableGapId {
  return isConfigurable(gaps[id]);
}
