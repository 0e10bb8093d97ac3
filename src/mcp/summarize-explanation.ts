/** Shortens the explanation of a delivery for tool results. */
import type { Explanation } from '../contract/explanation-schemas.ts';
import { formatEnableCommand } from './summarize-delivery.ts';
import { formatCall, type ToolResult } from './tool.ts';

/** Commands for which there is a tool. */
const HAS_TOOL = /^svc (?:clock|deliveries (?:get|replay)|explain|faults|receiver check|webhooks get)\b/;

/** @param isProbed whether known mistakes were tried on the receiver */
export function summarizeExplanation(explanation: Explanation, isProbed = false): ToolResult {
  const { delivery, attempt, summary, cause, certainty, detail, mistake, evidence, remedy } = explanation;
  const commands = explanation.next
    .map(({ command }) => command)
    .filter((command) => !HAS_TOOL.test(command));
  return {
    delivery_id: delivery.id,
    event_type: delivery.event_type,
    url: delivery.url,
    summary,
    cause,
    certainty,
    detail,
    ...(mistake && { mistake: mistake.reason }),
    ...(remedy !== null && { remedy }),
    ...(evidence.length > 0 && { evidence }),
    ...(attempt?.response_body && { response_body: attempt.response_body }),
    ...(explanation.signature && !isProbed && { signature_steps: explanation.signature.steps }),
    ...(commands.length > 0 && { commands }),
    next: toNextCall(explanation, isProbed),
  };
}

function toNextCall({ cause, delivery, mistake, next }: Explanation, isProbed: boolean): string {
  const replay = formatCall('replay', { id: delivery.id });
  const command = next[0]?.command ?? '';
  const showSecret = formatCall('lab', { action: 'show_secret', webhook_id: delivery.webhook_id });
  if (command.startsWith('svc deliveries replay')) return replay;
  if (command.endsWith('--probe') && !isProbed) {
    return formatCall('lab', { action: 'probe_delivery', id: delivery.id });
  }
  switch (cause) {
    case 'delivered':
    case 'canceled':
      return formatCall('status');
    case 'not_sent':
      return formatCall('clock', { action: 'next' });
    case 'paused':
      return formatEnableCommand(delivery);
    case 'injected_fault':
      return `${formatCall('lab', { action: 'clear_faults' })}, then ${replay}`;
    case 'accepted_invalid':
      return `Correct the receiver, then ${formatCall('lab', { action: 'check_receiver', webhook_id: delivery.webhook_id })}`;
    case 'signature_rejected':
      // No known mistake was found, so the secret is the first thing to compare.
      if (isProbed && mistake === null) return showSecret;
      return command.endsWith('--show-secret')
        ? `Give the receiver the secret of ${showSecret}, then ${replay}`
        : `Correct the receiver, then ${replay}`;
    default:
      return `Correct the receiver, then ${replay}`;
  }
}
