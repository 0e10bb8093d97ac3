/**
 * Tries an endpoint out: whether it can be reached, whether it takes a delivery that is signed as it should be, and
 * whether it refuses one that is not (§6.4 of the service description). What is sent goes the way of deliveries, by
 * the same policy, authorities and proxy, and is recorded nowhere: no event of that type or id exists.
 */
import { toEnvelope } from '../domain/event.ts';
import { UlidGenerator } from '../domain/ids.ts';
import { createWebhookSecret } from '../domain/secret.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { getWebhookRow } from '../sandbox/webhooks.ts';
import type { WebhookRow } from '../store/webhooks.ts';
import { getSigningSecrets, toDeliveryRequest } from './attempt.ts';
import type { ConnectResult, Sender, SendResult } from './sender.ts';

/** Nobody subscribes to it, so a receiver does nothing on it. */
const PROBE_TYPE = 'svc.probe';

/** Apart from those of the workspaces: a probe must not change the ids of what comes after it. */
const ids = new UlidGenerator();

export interface ProbeResult {
  readonly id: string;
  readonly url: string;
  readonly connection: ConnectResult;
  /** Null where nothing was sent: nobody wanted it, or there is no connection. */
  readonly responses: ProbeResponses | null;
}

interface ProbeResponses {
  /** To the delivery under the endpoint's own secret. */
  readonly genuine: SendResult;
  /** To the same under another secret. */
  readonly forged: SendResult;
}

/** @param send false to connect and no more. @throws SvcError `not_found`. */
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
  return { id, url, connection, responses: send && isConnected ? await ask(sandbox, sender, row) : null };
}

async function ask(sandbox: Sandbox, sender: Sender, row: WebhookRow): Promise<ProbeResponses> {
  const { wall, rules, workspaces } = sandbox;
  const workspace = workspaces.get(row.workspace_seq);
  const createdAt = workspace.clock.now();
  const body = toEnvelope({
    ...{ id: ids.next('event', wall.now()), workspaceId: workspace.id, createdAt },
    ...{ type: PROBE_TYPE, payload: '{}' },
  });
  const sendUnder = (secrets: string[]) => {
    const id = ids.next('delivery', wall.now());
    const content = { scheme: rules.signature, secrets, id, timestampMs: wall.now(), body };
    return sender.send(toDeliveryRequest(row, content), rules.delivery);
  };
  return {
    genuine: await sendUnder(getSigningSecrets(row, createdAt)),
    forged: await sendUnder([createWebhookSecret(rules.signature.key)]),
  };
}
