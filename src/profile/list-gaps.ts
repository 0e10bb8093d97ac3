/** Lists the gap register for `svc gaps`. */
import type { Environment } from '../domain/credentials.ts';
import { type ConfigValue, type Gap, isConfigurable, type ProfileName } from './gap.ts';
import { listChoices } from './gap-schemas.ts';
import { type ConfigurableGapId, type GapId, gapIds, gaps } from './gaps.ts';
import { applyOverrides, type Overrides } from './resolve-rules.ts';

/** A gap with its current answer. The field names are those of `svc gaps --json`. */
export interface ListedGap {
  readonly id: GapId;
  readonly question: string;
  /** Lines that describe the accepted values, as in `GapSchema.choices`; empty if the gap cannot be overridden. */
  readonly choices: readonly string[];
  /** The current answer, as the configuration file contains it; a sentence if the gap cannot be overridden. */
  readonly value: ConfigValue;
  /** The answer without the override. */
  readonly default: ConfigValue;
  readonly overridden: boolean;
  /** Statements of docs/service.md, separated by commas. */
  readonly reference: string;
  readonly reason: string;
}

/**
 * Every gap in the order of the register.
 * @throws SvcError `validation_failed` for an invalid override, as `resolveRules` does.
 */
export function listGaps(
  profile: ProfileName,
  overrides: Overrides = {},
  environment: Environment = 'sandbox',
): ListedGap[] {
  const answers = applyOverrides(profile, overrides, environment);
  return gapIds.map((id) => {
    const gap: Gap = gaps[id];
    const answer = isConfigurable(gap)
      ? answers[id as ConfigurableGapId]
      : { configValue: gap.answer, default: gap.answer, isOverridden: false };
    return {
      id,
      question: gap.question,
      choices: isConfigurable(gap) ? listChoices(gap.schema) : [],
      value: answer.configValue,
      default: answer.default,
      overridden: answer.isOverridden,
      reference: gap.references.join(', '),
      reason: gap.reason,
    };
  });
}
