/** The answer to every row of the register that has a choice: that of the profile, or what configuration put there. */

import type { Environment } from '../domain/access.ts';
import { SvcError } from '../errors.ts';
import { isObject, type Place, unknownName } from './form.ts';
import { defaultAnswer, type Gap, isOpen, type OpenGap, type Written } from './gap.ts';
import { type GapId, gapIds, gaps, type OpenGapId } from './gaps.ts';
import type { ProfileName } from './rules.ts';

/** Answers that replace those of the profile, by row. An object replaces only the members that it names. */
export type Overrides = Readonly<Record<string, unknown>>;

export interface Answer {
  /** As written in configuration, checked. */
  readonly written: Written;
  /** What the written answer is read as. */
  readonly value: unknown;
  /** The profile's own answer. */
  readonly default: Written;
  readonly overridden: boolean;
}

export const openGapIds: readonly OpenGapId[] = gapIds.filter(isOpenGapId);

/** @throws SvcError `validation_failed` that names the path of what is not acceptable, and what is. */
export function answerGaps(
  profile: ProfileName,
  overrides: Overrides,
  environment: Environment,
): Readonly<Record<OpenGapId, Answer>> {
  for (const id of Object.keys(overrides)) checkRow(id);
  const answers = openGapIds.map((id) => [id, answerGap(id, profile, overrides, environment)]);
  return Object.fromEntries(answers) as Record<OpenGapId, Answer>;
}

function answerGap(
  id: OpenGapId,
  profile: ProfileName,
  overrides: Overrides,
  environment: Environment,
): Answer {
  const gap: OpenGap = gaps[id];
  const byProfile = defaultAnswer(gap, profile, environment);
  const overridden = Object.hasOwn(overrides, id);
  const written = overridden ? complete(overrides[id], byProfile) : byProfile;
  const value = gap.form.parse(written, placeOf(id));
  return { written: written as Written, value, default: byProfile, overridden };
}

/** Members that an override leaves out keep the answer of the profile. */
function complete(override: unknown, byProfile: Written): unknown {
  return isObject(override) && isObject(byProfile) ? { ...byProfile, ...override } : override;
}

function checkRow(id: string): void {
  if (!Object.hasOwn(gaps, id)) throw unknownName(id, openGapIds, { path: 'overrides', hint: HINT });
  const gap: Gap = gaps[id as GapId];
  if (!isOpen(gap)) {
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

function placeOf(id: string): Place {
  return { path: `overrides[${JSON.stringify(id)}]`, hint: HINT };
}

function isOpenGapId(id: GapId): id is OpenGapId {
  return isOpen(gaps[id]);
}
