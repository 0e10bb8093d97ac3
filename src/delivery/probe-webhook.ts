/**
 * Probes an endpoint: whether it is reachable, accepts a correctly signed delivery and rejects one with a wrong signature
 * (§6.4). Requests follow the same address policy, authorities and proxy as deliveries, and are not recorded.
 */
import { toEnvelope } from '../domain/event.ts';
import { UlidGenerator } from '../domain/ids.ts';
import { createWebhookSecret } from '../domain/secret.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { getWebhookRow } from '../sandbox/webhooks.ts';
import type { WebhookRow } from '../store/webhooks.ts';
import { getSigningSecrets, toDeliveryRequest } from './attempt.ts';
import type { ConnectResult, Sender, SendResult } from './sender.ts';

/** An event type that receivers do not know, so that they ignore it. */
const PROBE_TYPE = 'svc.probe';

/** Not the generator of the workspace, so that a probe does not change the IDs of later resources. */
const ids = new UlidGenerator();

export interface ProbeResult {
  readonly id: string;
  readonly url: string;
  readonly connection: ConnectResult;
  /** Null if nothing was sent: it was not requested, or the connection failed. */
  readonly responses: ProbeResponses | null;
}

interface ProbeResponses {
  /** Response to a delivery signed with the endpoint secret. */
  readonly genuine: SendResult;
  /** Response to a delivery signed with another secret. */
  readonly forged: SendResult;
}

/** @param send false to connect only @throws SvcError `not_found` */
export async function probeWebhook(
  sandbox: Sandbox,
  sender: Sender,
  { id, send }: { readonly id: string; readonly send: boolean },
): Promise<ProbeResult> {
  const row = getWebhookRow(sandbox, id);
  const { url } = row;
  const connection = await sender.connect(
    { url, insecureTls: row.skip_verify === 1 },
    sandbox.rules.delivery,
  );
  const isConnected = connection.outcome === 'connected';
  return {
    id,
    url,
    connection,
    responses: send && isConnected ? await sendProbes(sandbox, sender, row) : null,
  };
}

async function sendProbes(sandbox: Sandbox, sender: Sender, row: WebhookRow): Promise<ProbeResponses> {
  const { wall, rules, workspaces } = sandbox;
  const workspace = workspaces.get(row.workspace_seq);
  const createdAt = workspace.clock.now();
  const body = toEnvelope({
    id: ids.next('event', wall.now()),
    workspaceId: workspace.id,
    createdAt,
    type: PROBE_TYPE,
    payload: '{}',
  });
  const sendSignedWith = (secrets: string[]) => {
    const id = ids.next('delivery', wall.now());
    const content = { scheme: rules.signature, secrets, id, timestampMs: wall.now(), body };
    return sender.send(toDeliveryRequest(row, content), rules.delivery);
  };
  return {
    genuine: await sendSignedWith(getSigningSecrets(row, createdAt)),
    forged: await sendSignedWith([createWebhookSecret(rules.signature.key)]),
  };
}
