/** The tool `explain`: why a delivery failed, and what to do. */
import * as v from 'valibot';
import type { Explanation } from '../../contract/explanation-schemas.ts';
import { WorkspaceFilter } from '../../contract/list-filters.ts';
import { defineTool, formatCall, wholeNumber } from '../tool.ts';

const MAX_ATTEMPTS = 1_000_000;

export const explainTool = defineTool({
  name: 'explain',
  description:
    'Say why a delivery failed: the cause, what was ruled out, the steps of a correct signature check, and the remedy',
  hints: { readOnlyHint: true },
  nextAfterError: formatCall('deliveries', { status: 'failing' }),
  input: v.strictObject({
    id: v.optional(
      v.pipe(
        v.string(),
        v.description('Of a delivery, event, endpoint or request; latest is the delivery that failed last'),
      ),
      'latest',
    ),
    attempt: v.optional(wholeNumber(1, MAX_ATTEMPTS)),
    ...WorkspaceFilter,
  }),
  output: { cause: 'string', detail: 'string', remedy: 'string' },
  async run(input, { emulator: { control } }) {
    const explanation = await control.explainDelivery(input);
    const { delivery, attempt, summary, cause, certainty, detail, mistake, ruled_out, remedy } = explanation;
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
      ...(ruled_out.length > 0 && { ruled_out }),
      ...(attempt?.response_body && { response_body: attempt.response_body }),
      ...(explanation.signature && { signature_steps: explanation.signature.steps }),
      ...(explanation.next.length > 0 && { commands: explanation.next.map(({ command }) => command) }),
      next: toNextCall(explanation),
    };
  },
});

function toNextCall({ cause, delivery }: Explanation): string {
  const replay = formatCall('replay', { id: delivery.id });
  switch (cause) {
    case 'delivered':
    case 'canceled':
      return formatCall('status');
    case 'not_sent':
      return formatCall('clock', { action: 'next' });
    case 'paused':
      return `In a shell: svc webhooks update ${delivery.webhook_id} --enable`;
    case 'injected_fault':
      return `${formatCall('lab', { action: 'clear_faults' })}, then ${replay}`;
    case 'accepted_invalid':
      return `Correct the receiver, then ${formatCall('lab', { action: 'check_receiver', webhook_id: delivery.webhook_id })}`;
    case 'secret_changed':
      return replay;
    default:
      return `Correct the receiver, then ${replay}`;
  }
}
