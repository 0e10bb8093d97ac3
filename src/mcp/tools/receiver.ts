/** The tool `receiver`: registers a receiver as an endpoint, shows its secret, and probes it. */
import * as v from 'valibot';
import { SvcError } from '../../domain/errors.ts';
import { toForwardUrl } from '../../domain/webhook-url.ts';
import type { ControlPlane } from '../../operations/control-plane.ts';
import { idOf } from '../../resources/values.ts';
import { EXAMPLE_URL } from '../summarize-delivery.ts';
import { summarizeExplanation } from '../summarize-explanation.ts';
import { defineTool, formatCall, requireArgument, type ToolResult } from '../tool.ts';

export const receiverTool = defineTool({
  name: 'receiver',
  description:
    'Register a receiver, show its secret, or probe it: finds the mistake of one that rejects signatures',
  hints: { destructiveHint: false },
  nextAfterError: formatCall('status'),
  about: {
    url: 'For register',
    events: 'For register, default: all',
    webhook_id: 'Default: the only endpoint',
    id: 'For probe: the delivery',
  },
  fields: {
    action: v.picklist(['register', 'secret', 'probe']),
    url: v.optional(v.string()),
    events: v.optional(v.array(v.string())),
    webhook_id: v.optional(idOf('webhook')),
    id: v.optional(v.string(), 'latest'),
  },
  async run({ action, url, events, webhook_id, id }, { emulator: { control }, signal }) {
    switch (action) {
      case 'register':
        return registerReceiver(requireArgument(url, 'url', EXAMPLE_URL), events, control);
      case 'secret': {
        const webhook = { id: webhook_id ?? (await findOnlyWebhook(control)) };
        const { secret } = await control.revealSecret(webhook);
        const next = 'Set SVC_WEBHOOK_SECRET to it where the receiver runs';
        return { webhook_id: webhook.id, secret, next };
      }
      case 'probe':
        return summarizeExplanation(await control.probeDelivery({ id }, signal), true);
    }
  },
});

async function registerReceiver(
  target: string,
  types: string[] | undefined,
  control: ControlPlane,
): Promise<ToolResult> {
  const url = toForwardUrl(target) ?? target;
  const { id, ...webhook } = await control.createWebhook({
    url,
    ...(types && { events: types }),
    reuse: true,
  });
  const { example_type: type } = await control.getStatus({});
  const [showSecret, trigger] = [
    formatCall('receiver', { action: 'secret', webhook_id: id }),
    formatCall('trigger', { type, wait_seconds: 10 }),
  ];
  const next = `Give the receiver the secret of ${showSecret}, then ${trigger}`;
  return { webhook_id: id, url: webhook.url, events: webhook.events, next };
}

async function findOnlyWebhook(control: ControlPlane): Promise<string> {
  const [only, second] = (await control.listWebhooks({ limit: 2 })).data;
  if (only === undefined) {
    const hint = `Register one: ${formatCall('receiver', { action: 'register', url: EXAMPLE_URL })}`;
    throw new SvcError('not_found', 'No endpoint is registered.', { hint });
  }
  if (second === undefined) return only.id;
  throw new SvcError('validation_failed', 'There are several endpoints, so webhook_id is required.');
}
