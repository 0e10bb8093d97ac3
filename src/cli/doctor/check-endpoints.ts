/** Checks whether endpoints are reachable, and whether the receivers verify signatures (§6). */
import type { WebhookDetail } from '../../contract/resources.ts';
import type { ControlPlane } from '../../control/control-plane.ts';
import { createFindingBuilder, type Finding } from '../../control/finding.ts';
import { listAll } from '../../control/list-all.ts';
import { toProbeFindings } from '../../control/probe-findings.ts';

export interface EndpointCheck {
  /** Whether to send probes to receivers. */
  readonly send: boolean;
  /** Wall time. */
  readonly now: number;
}

export async function checkEndpoints(control: ControlPlane, check: EndpointCheck): Promise<Finding[]> {
  const webhooks = await listAll((page) => control.listWebhooks(page));
  if (webhooks.length === 0) {
    const remedy =
      'Register one with: svc webhooks create, or start with: svc emulator start --forward-to PORT';
    return [createFindingBuilder('endpoints', 'Endpoints').skipped('no endpoint is registered', remedy)];
  }
  const found = await Promise.all(webhooks.map((webhook) => checkEndpoint(control, webhook, check)));
  return found.flat();
}

async function checkEndpoint(
  control: ControlPlane,
  { id, url, disabled }: WebhookDetail,
  { send, now }: EndpointCheck,
): Promise<Finding[]> {
  if (disabled) {
    const enabled = createFindingBuilder(`${id}/enabled`, `state of ${url}`);
    return [
      enabled.warning(
        'disabled: its deliveries are paused',
        `Enable it with: svc webhooks update ${id} --enable`,
      ),
    ];
  }
  return toProbeFindings(await control.probeWebhook({ id, send }), now);
}
