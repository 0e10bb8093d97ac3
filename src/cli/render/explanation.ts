/** Renders the explanation of a delivery, the verdict first. */
import type { Explanation } from '../../contract/explanation-schemas.ts';
import { getDisplayStatus } from '../../domain/delivery.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { renderVerification } from './deliveries.ts';
import { renderSection } from './http-message.ts';
import { styleFor, styleStatus } from './style.ts';
import { renderFields } from './table.ts';
import { truncateLine, widthOf, wrapWords } from './text-width.ts';

/** Width of the column of names, with its gap. */
const NAMES_WIDTH = 10;
/** Lines of an ordinary failure, so that it fits on a small screen. JSON has all evidence. */
const MAX_LINES = 14;

/** @param withSteps whether to show how a correct receiver verifies the signature */
export function renderExplanation(
  explanation: Explanation,
  withSteps: boolean,
  capabilities: TerminalCapabilities,
): string {
  const { delivery, attempt, cause, certainty, detail, mistake, signature, remedy } = explanation;
  const width = Math.max(1, capabilities.width - NAMES_WIDTH);
  const wrap = (text: string) => wrapWords(width, text).join('\n');
  const response = attempt?.response_body?.replace(/\s+/g, ' ') ?? null;
  const verdict = [
    certainty === 'likely' ? `${cause} (likely)` : cause,
    ...(mistake === null ? [] : [mistake.reason]),
  ].join(', ');
  const texts = {
    Cause: `${verdict}\n${wrap(detail)}`,
    Delivery: `${delivery.id} ${delivery.event_type} ${styleStatus(getDisplayStatus(delivery), capabilities)}`,
    Endpoint: wrap(`${delivery.webhook_id} ${delivery.url}`),
    Response: response && truncateLine({ ...capabilities, width }, response),
    Evidence: null,
    'To do': remedy && wrap(remedy),
    Next: explanation.next.map((step) => renderStep(step, remedy, width, capabilities)).join('\n') || null,
  };
  const lines = Object.values(texts).flatMap((text) => text?.split('\n') ?? []).length;
  const fields = renderFields(
    { ...texts, Evidence: selectEvidence(explanation, width, MAX_LINES - lines) },
    capabilities,
  );
  if (!withSteps || signature === null) return fields;
  const { steps, verification } = signature;
  const stepLines = [
    ...steps.map(({ step, value }, index) => `${index + 1}. ${step}:\n   ${value}`),
    ...(verification === null ? [] : [`Result: ${renderVerification(verification, capabilities)}`]),
  ];
  const title = 'How a correct receiver verifies the signature';
  return `${fields}\n\n${renderSection(title, stepLines.join('\n'), capabilities)}`;
}

/** The first facts that fit, and always the first one; null without any. */
function selectEvidence({ evidence }: Explanation, width: number, maxLines: number): string | null {
  const lines: string[] = [];
  for (const fact of evidence) {
    const wrapped = wrapWords(width, fact);
    if (lines.length > 0 && lines.length + wrapped.length > maxLines) break;
    lines.push(...wrapped);
  }
  return lines.join('\n') || null;
}

/** The purpose as a comment of the shell, if it fits and the remedy does not say it already. */
function renderStep(
  { purpose, command }: Explanation['next'][number],
  remedy: string | null,
  width: number,
  capabilities: TerminalCapabilities,
): string {
  const { cyan, dim } = styleFor(capabilities);
  const comment = `  # ${purpose}`;
  const isUseful = remedy !== `${purpose}.` && widthOf(command + comment) <= width;
  return isUseful ? cyan(command) + dim(comment) : cyan(command);
}
