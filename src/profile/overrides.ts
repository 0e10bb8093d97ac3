/** Determines the answer to every configurable gap: that of the profile, or an override of the configuration. */

import type { Environment } from '../domain/environment.ts';
import { SvcError } from '../errors.ts';
import { type ConfigurableGap, type ConfigValue, defaultAnswer, type Gap, isConfigurable } from './gap.ts';
import { type ConfigurableGapId, type GapId, gapIds, gaps } from './gaps.ts';
import type { ProfileName } from './rules.ts';
import { isObject, unknownKeyError, type ValueLocation } from './value-schema.ts';

/** Answers that replace those of the profile, by gap. An object replaces only the fields that it has. */
export type Overrides = Readonly<Record<string, unknown>>;

export interface GapAnswer {
  /** As it is written in configuration, validated. */
  readonly written: ConfigValue;
  /** The parsed answer. */
  readonly value: unknown;
  /** The answer of the profile. */
  readonly default: ConfigValue;
  readonly overridden: boolean;
}

export const configurableGapIds: readonly ConfigurableGapId[] = gapIds.filter(isOpenGapId);

/** @throws SvcError `validation_failed` that names the path of the invalid value and what is accepted. */
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

/** Fields that an override omits keep the answer of the profile. */
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
      `${placeOf(id).path} cannot be overridden. Its answer is fixed: ${gap.answer}.`,
      {
        hint: `Remove it. ${HINT}`,
      },
    );
  }
}

const HINT = 'List all gaps and their choices with: svc gaps';

function placeOf(id: string): ValueLocation {
  return { path: `overrides[${JSON.stringify(id)}]`, hint: HINT };
}

function isOpenGapId(id: GapId): id is ConfigurableGapId {
  return isConfigurable(gaps[id]);
}
