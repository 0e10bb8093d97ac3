/** Shortens the explanation of a delivery for tool results. */

import { toNextSteps } from '../diagnosis/sentences.ts';
import type { Hint } from '../domain/errors.ts';
import type { Explanation } from '../operations/explanation-schemas.ts';
import { formatEnableCommand } from './summarize-delivery.ts';
import { formatCall, type ToolResult } from './tool.ts';

/** @param isProbed whether known mistakes were tried on the receiver */
export function summarizeExplanation(explanation: Explanation, isProbed = false): ToolResult {
  const { delivery, attempt, summary, layer, cause, certainty, detail, mistake, finding, evidence, hints } =
    explanation;
  return {
    delivery_id: delivery.id,
    event_type: delivery.event_type,
    url: delivery.url,
    summary,
    ...(layer && { layer: layer.by }),
    cause,
    certainty,
    detail,
    ...(mistake && { mistake: mistake.reason }),
    ...(finding && { explains: finding.explains, ...finding.comparison }),
    ...(evidence.length > 0 && { evidence }),
    ...(attempt?.response_body && { response_body: attempt.response_body }),
    ...(explanation.steps && !isProbed && { signature_steps: explanation.steps }),
    ...(hints.length > 0 && { hints }),
    next: toNextCall(explanation, isProbed),
  };
}

function toNextCall({ cause, delivery, mistake, hints }: Explanation, isProbed: boolean): string {
  const own = toNextSteps({ delivery: delivery.id, webhook: delivery.webhook_id });
  const isHinted = ({ text }: Hint) => hints.some((hint) => hint.text === text);
  const replay = formatCall('replay', { id: delivery.id });
  const showSecret = formatCall('receiver', { action: 'secret', webhook_id: delivery.webhook_id });
  if (hints[0]?.command === own.replay.command) return replay;
  if (isHinted(own.probe) && !isProbed) return formatCall('receiver', { action: 'probe', id: delivery.id });
  // No known mistake was found, so the secret is the first thing to compare.
  if (isProbed && mistake === null && isHinted(own.secret)) return showSecret;
  switch (cause) {
    case 'delivered':
    case 'canceled':
      return formatCall('status');
    case 'not_sent':
      return formatCall('clock', { action: 'next' });
    case 'paused':
      return formatEnableCommand(delivery);
    case 'injected_fault':
      return `${formatCall('faults', { action: 'clear' })}, then ${replay}`;
    case 'accepted_invalid':
      return `Correct the receiver, then in a shell: svc receiver check ${delivery.url}`;
    case 'signature_rejected':
      return isHinted(own.secret)
        ? `Give the receiver the secret of ${showSecret}, then ${replay}`
        : `Correct the receiver, then ${replay}`;
    default:
      return `Correct the receiver, then ${replay}`;
  }
}
