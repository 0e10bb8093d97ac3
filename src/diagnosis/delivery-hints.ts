import type { Delivery } from '../resources/delivery.ts';

/**
 * The hints about every delivery. The dashboard and the MCP tools omit those for actions that they offer.
 * @param delivery the delivery, with the endpoint that receives it
 */
export function toDeliveryHints({ id, webhook_id: webhookId }: Pick<Delivery, 'id' | 'webhook_id'>) {
  return {
    enable: { text: 'Enable the endpoint', command: `svc webhooks update ${webhookId} --enable` },
    probe: { text: 'Find the mistake', command: `svc explain ${id} --probe` },
    replay: { text: 'Replay the delivery', command: `svc deliveries replay ${id} --wait` },
    secret: { text: 'Show the current secret', command: `svc webhooks get ${webhookId} --show-secret` },
    show: { text: 'Show the request and response', command: `svc deliveries get ${id}` },
    steps: { text: 'Show the correct steps', command: `svc explain ${id} --steps` },
    verify: {
      text: 'Check the digest that the receiver computes',
      command: `svc verify --delivery ${id} --computed DIGEST`,
    },
  } as const;
}
