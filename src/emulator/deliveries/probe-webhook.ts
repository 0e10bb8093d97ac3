/**
 * Probes an endpoint: whether it is reachable, accepts a correctly signed delivery and rejects one with a wrong signature
 * (§6.4). Requests follow the same address policy, authorities and proxy as deliveries, and are not recorded.
 */

import { UlidGenerator } from '../../domain/ids.ts';
import { createWebhookSecret } from '../../domain/secret.ts';
import type { WebhookProbe } from '../../operations/probe-schemas.ts';
import { toEnvelope } from '../../resources/event.ts';
import type { WebhookRow } from '../../store/webhooks.ts';
import type { Sandbox } from '../service/sandbox.ts';
import { getWebhookRow } from '../service/webhooks.ts';
import { getSigningSecrets, toDeliveryRequest } from './attempt.ts';
import type { Sender } from './sender.ts';

/** An event type that receivers do not know, so that they ignore it. */
const PROBE_TYPE = 'svc.probe';

/** Not the generator of the workspace, so that a probe does not change the IDs of later resources. */
const ids = new UlidGenerator();

/** @param send false to connect only @throws SvcError `not_found` */
export async function probeWebhook(
  sandbox: Sandbox,
  sender: Sender,
  { id, send }: { readonly id: string; readonly send: boolean },
): Promise<WebhookProbe> {
  const row = getWebhookRow(sandbox, id);
  const { url } = row;
  const target = { url, insecureTls: row.skip_verify === 1 };
  const connection = await sender.connect(target);
  const { outcome, error, durationMs, address, certificate } = connection;
  const canSend = send && outcome === 'connected';
  return {
    webhook_id: id,
    url,
    connection: {
      outcome,
      error,
      address,
      duration_ms: durationMs,
      certificate: certificate && {
        issuer: certificate.issuer,
        valid_to: new Date(certificate.validTo).toISOString(),
      },
    },
    ...(canSend ? await sendProbes(sandbox, sender, row) : { genuine: null, forged: null }),
  };
}

async function sendProbes(sandbox: Sandbox, sender: Sender, row: WebhookRow) {
  const { wall, rules, workspaces } = sandbox;
  const workspace = workspaces.get(row.workspace_seq);
  const createdAt = workspace.clock.now();
  const body = toEnvelope({
    id: ids.next('event', wall.now()),
    workspace_id: workspace.id,
    created_at: createdAt,
    type: PROBE_TYPE,
    payload: '{}',
  });
  const sendSignedWith = async (secrets: string[]) => {
    const id = ids.next('delivery', wall.now());
    const content = { scheme: rules.signature, secrets, id, timestampMs: wall.now(), body };
    const result = await sender.send(toDeliveryRequest(row, content));
    const { outcome, responseStatus, error, durationMs } = result;
    return { outcome, response_status: responseStatus, error, duration_ms: durationMs };
  };
  return {
    genuine: await sendSignedWith(getSigningSecrets(row, createdAt)),
    forged: await sendSignedWith([createWebhookSecret(rules.signature.key)]),
  };
}
