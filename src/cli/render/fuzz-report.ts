/** Renders the report of `svc receiver fuzz`. */
import { formatDuration } from '../../domain/duration.ts';
import { formatCount, formatDeliveryCount } from '../../domain/message-parts.ts';
import type { FuzzFailure } from '../../receivers/fuzz/describe-fuzz-failure.ts';
import type { FuzzReport } from '../../receivers/fuzz/fuzz.ts';
import { sideEffectRules } from '../../receivers/play-rules.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { styleFor } from './style.ts';
import { renderFields } from './table.ts';
import { wrapIndented } from './text-width.ts';

/** Length of a payload in the text. The saved sequence has it in full. */
const MAX_PAYLOAD_LENGTH = 400;

export function renderFuzzReport(report: FuzzReport, capabilities: TerminalCapabilities): string {
  const { failure } = report;
  const parts = failure === null ? [] : [renderFailure(failure, capabilities)];
  return [...parts, summarize(report)].join('\n\n');
}

/** `Played 100 sequences with 1203 deliveries in 21.4s, random seed 7. None broke a rule.` */
function summarize({
  interrupted,
  runs,
  requests,
  duration_ms,
  random_seed: randomSeed,
  failure,
  side_effects: sideEffects,
}: FuzzReport): string {
  const time = formatDuration(Math.round(duration_ms / 100) * 100);
  const amount = `${formatCount(runs, 'sequence')} with ${formatDeliveryCount(requests)} in ${time}`;
  const result =
    failure === null
      ? 'None broke a rule.'
      : runs === 0
        ? 'Even a single delivery broke a rule.'
        : 'One broke a rule.';
  const summary = `${interrupted ? 'Interrupted after' : 'Played'} ${amount}, random seed ${randomSeed}. ${result}`;
  if (sideEffects !== null) return summary;
  const rules = [...sideEffectRules].join(', ');
  return `${summary}\nSide effects were not observed, so these rules were not checked: ${rules}.`;
}

function renderFailure(failure: FuzzFailure, capabilities: TerminalCapabilities): string {
  const { rule, summary, reference, steps, original_steps: originalSteps } = failure;
  const { red } = styleFor(capabilities);
  const lines = steps.flatMap(({ step, sent, received, broken }) => {
    const breaks = broken.length === 0 ? '' : red(`breaks ${broken.join(', ')}`);
    const result = [received, breaks].filter((text) => text !== '').join(', ');
    return wrapIndented(`${step}. `, result === '' ? sent : `${sent}: ${result}`, capabilities);
  });
  const payloads = Object.fromEntries(
    failure.unusual_events.map(({ event, payload }) => [`Payload of event ${event}`, shorten(payload)]),
  );
  const fields = {
    'What happened': failure.message,
    'Why it matters': failure.reason,
    'What to do': failure.remedy,
    ...payloads,
    ...(originalSteps > steps.length && {
      'Found with': `${originalSteps} steps, reduced to ${steps.length}`,
    }),
  };
  return [
    `${red(`Broken rule: ${rule}`)}${reference === null ? '' : ` (${reference})`}: ${summary}`,
    lines.join('\n'),
    renderFields(fields, capabilities),
  ].join('\n\n');
}

function shorten(text: string): string {
  return text.length > MAX_PAYLOAD_LENGTH ? `${text.slice(0, MAX_PAYLOAD_LENGTH)}…` : text;
}
