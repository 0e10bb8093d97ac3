/** Renders the report of `svc receiver fuzz`. */
import { formatDuration } from '../../domain/duration.ts';
import { formatCount, formatDeliveryCount } from '../../domain/message-parts.ts';
import type { FuzzReport } from '../../receivers/fuzz/fuzz.ts';
import type { FuzzFailure } from '../../receivers/fuzz/smallest-failure.ts';
import { sideEffectRules } from '../../receivers/play-rules.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { styleFor } from './style.ts';
import { renderFields, renderTable } from './table.ts';
import { wrapWords } from './text-width.ts';

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

/** How often the smallest sequence fails, as a sentence. */
function describeFailureRate({ failed, played }: FuzzFailure): string {
  if (played === 1) return 'It was played only once.';
  return failed === played
    ? `Fails every time (${played} of ${played}).`
    : `Fails ${failed} of ${played} times.`;
}

function renderFailure(failure: FuzzFailure, capabilities: TerminalCapabilities): string {
  const { rule, summary, reference, steps, original_steps: originalSteps } = failure;
  const { red } = styleFor(capabilities);
  const table = renderTable(
    [
      { title: 'STEP', value: ([step]) => step },
      { title: 'SENT', value: ([, sent]) => sent },
      { title: 'RECEIVED', value: ([, , received]) => received },
      { title: 'BROKEN RULE', value: ([, , , broken]) => red(broken) },
    ],
    steps.flatMap((step) => toRows(step, capabilities)),
    capabilities,
  );
  const payloads = Object.fromEntries(
    failure.unusual_events.map(({ event, payload }) => [`Payload of event ${event}`, shorten(payload)]),
  );
  const fields = {
    'What happened': `${failure.message} ${describeFailureRate(failure)}`,
    'Why it matters': failure.reason,
    'What to do': failure.remedy,
    ...payloads,
    ...(originalSteps > steps.length && {
      'Found with': `${originalSteps} steps, reduced to ${steps.length} in ${formatDuration(failure.shrink_ms)}`,
    }),
  };
  return [
    `${red(`Broken rule: ${rule}`)} (${reference}): ${summary}`,
    table,
    renderFields(fields, capabilities),
  ].join('\n\n');
}

/** A row for each line of the longest cell: the end of a text is as important as its start, so it is wrapped, not truncated. */
function toRows(
  { step, sent, received, broken }: FuzzFailure['steps'][number],
  { width }: TerminalCapabilities,
): [step: string, sent: string, received: string, broken: string][] {
  // The title of the first column and three gaps take 10 columns.
  const quarter = Math.max(10, Math.floor((width - 10) / 4));
  const cells = [
    wrapWords(2 * quarter, sent),
    wrapWords(quarter, received),
    wrapWords(quarter, broken.join(', ')),
  ] as const;
  const rowCount = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: rowCount }, (_, row) => [
    row === 0 ? String(step) : '',
    cells[0][row] ?? '',
    cells[1][row] ?? '',
    cells[2][row] ?? '',
  ]);
}

function shorten(text: string): string {
  return text.length > MAX_PAYLOAD_LENGTH ? `${text.slice(0, MAX_PAYLOAD_LENGTH)}…` : text;
}
