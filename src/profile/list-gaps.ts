/** The register as people read it: `svc gaps`, and the page that is generated from it. */

import type { Environment } from '../domain/environment.ts';
import { type ConfigurableGap, type ConfigValue, type Gap, isConfigurable } from './gap.ts';
import { type ConfigurableGapId, type GapId, gapIds, gaps } from './gaps.ts';
import { applyOverrides, type Overrides } from './overrides.ts';
import type { ProfileName } from './rules.ts';

/** One row of the register with the answer that holds. Names are those of the JSON output. */
export interface GapRow {
  readonly id: GapId;
  readonly question: string;
  /** What the row can be set to; empty where it cannot be overridden. */
  readonly choices: readonly string[];
  /** As written in configuration; prose where the row cannot be overridden. */
  readonly value: ConfigValue;
  readonly default: ConfigValue;
  readonly overridden: boolean;
  /** Statements of the service description: `§6.2` is rule 2 of section 6. */
  readonly reference: string;
  readonly reason: string;
}

/**
 * Every row of the register, in its order.
 * @throws SvcError `validation_failed` as `resolveRules` does.
 */
export function listGaps(
  profile: ProfileName,
  overrides: Overrides = {},
  environment: Environment = 'sandbox',
): GapRow[] {
  const answers = applyOverrides(profile, overrides, environment);
  return gapIds.map((id) => {
    const gap: Gap = gaps[id];
    const answer = isConfigurable(gap)
      ? answers[id as ConfigurableGapId]
      : { written: gap.answer, default: gap.answer, overridden: false };
    return {
      id,
      question: gap.question,
      choices: isConfigurable(gap) ? gap.schema.choices : [],
      value: answer.written,
      default: answer.default,
      overridden: answer.overridden,
      reference: gap.references.join(', '),
      reason: gap.reason,
    };
  });
}

/** The whole register as Markdown. */
export function renderGapsMarkdown(): string {
  return [INTRODUCTION, ...gapIds.map(renderGap)].join('\n');
}

const INTRODUCTION = `# Gap register

Where the service description is silent the emulator must still do something. Each row below is one such question, the
answer of the two profiles \`relaxed\` (the default: made for a laptop and for CI) and \`strict\` (as near to the
described production service as can be), and why. \`svc gaps\` shows the answers that hold in your project.

A row with choices can be set in the configuration file, by its name:

\`\`\`json
{ "profile": "strict", "overrides": { "retry.jitter": 0, "rate.limit": { "per_second": 5, "burst": 10 } } }
\`\`\`

Of an object, only the members to change need be written. Made by \`npx vitest run test/profile -u\`; CI fails when
it is stale.
`;

function renderGap(id: GapId): string {
  const gap: Gap = gaps[id];
  const answer = isConfigurable(gap) ? renderAnswers(gap) : `- Answer: ${gap.answer}.`;
  return `## ${id}

${gap.question}

${answer}
- Why: ${gap.reason} (${gap.references.join(', ')})
`;
}

function renderAnswers({ relaxed, strict, production, schema }: ConfigurableGap): string {
  return [
    strict === undefined
      ? `- Answer: ${code(relaxed)}`
      : `- Answer: ${code(relaxed)}; strict: ${code(strict)}`,
    ...(production === undefined
      ? []
      : [`- In the production environment, under both profiles: ${code(production)}`]),
    `- Choices:`,
    ...schema.choices.map((choice) => `  - ${escapeTags(choice)}`),
  ].join('\n');
}

function code(answer: ConfigValue): string {
  return `\`${JSON.stringify(answer)}\``;
}

/** Keeps `<hex>` from being read as a tag, but for what stands in code. */
function escapeTags(text: string): string {
  return text.replace(/`[^`]*`|</g, (match) => (match === '<' ? '&lt;' : match));
}
