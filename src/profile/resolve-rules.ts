/** Resolves a profile and its overrides to rules: plain values, so that only `svc gaps` needs the gap register afterwards. */
import type { Environment } from '../domain/credentials.ts';
import { SvcError } from '../domain/errors.ts';
import { isObject } from '../domain/json.ts';
import { parseConfigured, unknownFieldError, type ValueLocation } from '../resources/configured-value.ts';
import { type ConfigurableGap, type ConfigValue, type Gap, isConfigurable, type ProfileName } from './gap.ts';
import { type ConfigurableGapId, type GapId, type GapValues, gapIds, gaps } from './gaps.ts';
import { type Rules, toRules } from './rules.ts';
import { senders, type WebhookSender } from './senders.ts';

/** Answers that replace those of the profile, by gap ID. An object replaces only the fields that it has. Not yet validated. */
export type Overrides = Readonly<Record<string, unknown>>;

/** The answer to a gap: the override, or the default. */
interface GapAnswer {
  /** As the configuration file contains it, validated. */
  readonly configValue: ConfigValue;
  /** {@link configValue} as the schema of the gap parses it. */
  readonly parsedValue: unknown;
  /** The answer of the profile in this environment. */
  readonly default: ConfigValue;
  readonly isOverridden: boolean;
}

export const configurableGapIds: readonly ConfigurableGapId[] = gapIds.filter((id) =>
  isConfigurable(gaps[id]),
) as ConfigurableGapId[];

/**
 * The rules of a profile with overrides.
 * @param sender the gaps `signature.*` apply only to the scheme `svc`, except `signature.tolerance`
 * @throws SvcError `validation_failed` that names the path of the invalid value, such as
 *   `overrides["retry.schedule"][2]`, and what is accepted.
 */
export function resolveRules(
  profile: ProfileName,
  overrides: Overrides = {},
  environment: Environment = 'sandbox',
  sender: WebhookSender = senders.svc,
): Rules {
  return toRules(profile, resolveValues(profile, overrides, environment), sender);
}

/** The parsed value of every configurable gap. @throws SvcError `validation_failed` as {@link resolveRules} */
export function resolveValues(
  profile: ProfileName,
  overrides: Overrides,
  environment: Environment,
): GapValues {
  const answers = applyOverrides(profile, overrides, environment);
  const entries = Object.entries(answers).map(([id, { parsedValue }]) => [id, parsedValue]);
  // The schema of each gap has checked the type of its value.
  return Object.fromEntries(entries) as GapValues;
}

/**
 * The answer to every configurable gap: the override, or the answer of the profile.
 * @throws SvcError `validation_failed` for an invalid override, as {@link resolveRules} does.
 */
export function applyOverrides(
  profile: ProfileName,
  overrides: Overrides,
  environment: Environment,
): Readonly<Record<ConfigurableGapId, GapAnswer>> {
  for (const id of Object.keys(overrides)) checkGapId(id);
  const answers = configurableGapIds.map((id) => [id, resolveGap(id, profile, overrides, environment)]);
  return Object.fromEntries(answers) as Record<ConfigurableGapId, GapAnswer>;
}

function checkGapId(id: string): void {
  if (!Object.hasOwn(gaps, id)) {
    throw unknownFieldError(id, configurableGapIds, 'overrides', 'Use an ID from docs/gaps.md.');
  }
  const gap: Gap = gaps[id as GapId];
  if (isConfigurable(gap)) return;
  throw new SvcError(
    'validation_failed',
    `${toValueLocation(id).path} cannot be overridden. Its answer is fixed: ${gap.answer}.`,
    { hint: 'Remove it.' },
  );
}

function resolveGap(
  id: ConfigurableGapId,
  profile: ProfileName,
  overrides: Overrides,
  environment: Environment,
): GapAnswer {
  const gap: ConfigurableGap = gaps[id];
  const defaultAnswer = getDefaultAnswer(gap, profile, environment);
  const isOverridden = Object.hasOwn(overrides, id);
  const configValue = isOverridden ? addMissingFields(overrides[id], defaultAnswer) : defaultAnswer;
  const parsedValue = parseConfigured(gap.schema, configValue, toValueLocation(id));
  return { configValue: configValue as ConfigValue, parsedValue, default: defaultAnswer, isOverridden };
}

function getDefaultAnswer(gap: ConfigurableGap, profile: ProfileName, environment: Environment): ConfigValue {
  if (environment === 'production' && gap.production !== undefined) return gap.production;
  return profile === 'strict' && gap.strict !== undefined ? gap.strict : gap.relaxed;
}

/** Fields that an override omits keep the earlier value, such as the answer of the profile. */
export function addMissingFields(override: unknown, earlier: unknown): unknown {
  return isObject(override) && isObject(earlier) ? { ...earlier, ...override } : override;
}

function toValueLocation(id: string): ValueLocation {
  return {
    path: `overrides[${JSON.stringify(id)}]`,
    toHint: (expected) => `Set it to ${expected}.`,
  };
}
