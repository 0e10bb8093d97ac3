/** Renders the explanation of a delivery, the verdict first. */

import { toText } from '../../diagnosis/read-response.ts';
import { getDisplayStatus } from '../../domain/delivery.ts';
import type { Hint } from '../../domain/errors.ts';
import { formatDeliveryCount, toSentence } from '../../domain/message-parts.ts';
import type { Explanation } from '../../operations/explanation-schemas.ts';
import type { TerminalCapabilities } from '../process-context.ts';
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
  const { delivery, attempt, layer, cause, certainty, detail, mistake, finding, evidence, steps, hints } =
    explanation;
  const [remedy] = hints;
  const width = Math.max(1, capabilities.width - NAMES_WIDTH);
  const wrap = (text: string) => wrapWords(width, text).join('\n');
  const response = attempt?.response_body ? toLine(attempt.response_body) : null;
  const verdict = [
    certainty === 'likely' ? `${cause} (likely)` : cause,
    ...(mistake === null ? [] : [mistake.reason]),
  ].join(', ');
  const oneLine = (text: string) => truncateLine({ ...capabilities, width }, text);
  const comparison = finding?.comparison ?? null;
  const mark = comparison && ' '.repeat(widthOf(comparison.verified.slice(0, comparison.difference)));
  const explains =
    finding && finding.explains > 1 ? `, explains ${formatDeliveryCount(finding.explains)}` : '';
  const commands = hints
    .filter(({ command }) => command !== undefined)
    .map((hint) => renderCommand(hint, hint !== remedy, capabilities));
  const texts = {
    Layer: layer && `${layer.by} (${layer.kind})`,
    Cause: `${verdict}${explains}\n${wrap(detail)}`,
    Delivery: `${delivery.id} ${delivery.event_type} ${styleStatus(getDisplayStatus(delivery), capabilities)}`,
    Endpoint: wrap(`${delivery.webhook_id} ${delivery.url}`),
    Response: response && oneLine(response),
    Signed: comparison && oneLine(comparison.signed),
    Verified: comparison && `${oneLine(comparison.verified)}\n${mark}^ the first difference`,
    Evidence: null,
    'To do': remedy ? wrap(toSentence(remedy.text)) : null,
    Next: commands.join('\n') || null,
  };
  const countLines = () => Object.values(texts).flatMap((text) => text?.split('\n') ?? []).length;
  // The detail quotes the message, and the last command replays the delivery.
  if (countLines() > MAX_LINES) texts.Response = null;
  if (countLines() > MAX_LINES) texts.Next = [...new Set([commands[0], commands.at(-1)])].join('\n');
  const facts = evidence.map(wrap);
  while (facts.length > 0 && countLines() + facts.join('\n').split('\n').length > MAX_LINES) facts.pop();
  const fields = renderFields({ ...texts, Evidence: facts.join('\n') || null }, capabilities);
  if (!withSteps || steps === null) return fields;
  const stepLines = steps.map(({ step, value }, index) => `${index + 1}. ${step}:\n   ${value}`);
  const title = 'How a correct receiver verifies the signature';
  return `${fields}\n\n${renderSection(title, stepLines.join('\n'), capabilities)}`;
}

/** The text of a response on one line, without the tags of a page. */
function toLine(body: string): string {
  const text = /^\s*</.test(body) ? toText(body) : body;
  return text.replace(/\s+/g, ' ').trim();
}

/** @param isExplained whether to add the text as a comment of the shell, if it fits */
function renderCommand(
  { text, command = '' }: Hint,
  isExplained: boolean,
  capabilities: TerminalCapabilities,
): string {
  const { cyan, dim } = styleFor(capabilities);
  const comment = `  # ${text}`;
  const fits = NAMES_WIDTH + widthOf(command + comment) <= capabilities.width;
  return isExplained && fits ? cyan(command) + dim(comment) : cyan(command);
}
