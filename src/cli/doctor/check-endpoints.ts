/** Checks whether endpoints are reachable, and whether the receivers verify signatures (§6). */
import type { WebhookDetail } from '../../contract/resources.ts';
import type { ControlPlane } from '../../control/control-plane.ts';
import { createFindingBuilder, type Finding } from '../../control/finding.ts';
import { listAll } from '../../control/list-all.ts';
import { toProbeFindings } from '../../control/probe-findings.ts';

export interface EndpointCheckOptions {
  /** Whether to send a signed and a forged test delivery. Without it, only the connection is tested. */
  readonly sendsTestDeliveries: boolean;
  /** Milliseconds since 1970, to judge the expiry of certificates. */
  readonly wallTime: number;
}

export async function checkEndpoints(
  control: ControlPlane,
  options: EndpointCheckOptions,
): Promise<Finding[]> {
  const webhooks = await listAll((page) => control.listWebhooks(page));
  if (webhooks.length === 0) {
    return [
      createFindingBuilder('endpoints', 'Endpoints').skipped(
        'no endpoint is registered',
        'Register one with: svc webhooks create, or start with: svc emulator start --forward-to PORT',
      ),
    ];
  }
  const findings = await Promise.all(webhooks.map((webhook) => checkEndpoint(control, webhook, options)));
  return findings.flat();
}

async function checkEndpoint(
  control: ControlPlane,
  { id, url, disabled }: WebhookDetail,
  { sendsTestDeliveries, wallTime }: EndpointCheckOptions,
): Promise<Finding[]> {
  if (disabled) {
    const state = createFindingBuilder(`${id}/enabled`, `state of ${url}`);
    return [
      state.warning(
        'disabled: its deliveries are paused',
        `Enable it with: svc webhooks update ${id} --enable`,
      ),
    ];
  }
  return toProbeFindings(await control.probeWebhook({ id, send: sendsTestDeliveries }), wallTime);
}
