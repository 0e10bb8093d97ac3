/** Renders the explanation of a delivery. */
import type { Explanation } from '../../contract/explanation-schemas.ts';
import { describeAppliedFault } from '../../control/describe-fault.ts';
import { getDisplayStatus } from '../../domain/delivery.ts';
import { formatDuration } from '../../domain/duration.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { renderVerification } from './deliveries.ts';
import { renderSection } from './http-message.ts';
import { styleFor, styleOutcome, styleStatus } from './style.ts';
import { renderFields } from './table.ts';

export function renderExplanation(explanation: Explanation, capabilities: TerminalCapabilities): string {
  const { delivery, attempt, summary, cause, certainty, detail, mistake, signature, remedy } = explanation;
  const fields = renderFields(
    {
      Delivery: `${delivery.id} ${styleStatus(getDisplayStatus(delivery), capabilities)}`,
      Event: `${delivery.event_id} ${delivery.event_type}`,
      Endpoint: `${delivery.webhook_id} ${delivery.url}`,
      Attempt:
        attempt &&
        [
          String(attempt.number),
          styleOutcome(attempt, capabilities),
          formatDuration(attempt.duration_ms),
        ].join('  '),
      Fault: describeAppliedFault(attempt?.fault),
      State: summary,
      Cause: `${cause}${certainty === 'likely' ? ' (likely)' : ''}  ${detail}`,
      Mistake: mistake?.reason ?? null,
      'What to do': remedy,
    },
    capabilities,
  );
  const section = (name: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [renderSection(name, lines.join('\n'), capabilities)];
  const steps = signature?.steps.map(({ step, value }, index) => `${index + 1}. ${step}:\n   ${value}`) ?? [];
  const verification = signature?.verification ?? null;
  return [
    fields,
    ...section('Response', attempt?.response_body ? [attempt.response_body] : []),
    ...section('Ruled out', explanation.ruled_out),
    ...section('How a correct receiver verifies the signature', [
      ...steps,
      ...(verification === null ? [] : [`Result: ${renderVerification(verification, capabilities)}`]),
    ]),
    ...section(
      'Next',
      explanation.next.map(
        ({ purpose, command }) => `${purpose}:\n  ${styleFor(capabilities).cyan(command)}`,
      ),
    ),
  ].join('\n\n');
}
