/** Sends a delivery again (§6, gap `replay`). */

import { SvcError } from '../../domain/errors.ts';
import { compactJson, parseJsonObject } from '../../domain/json-text.ts';
import { findWebhookUrlError } from '../../domain/webhook-url.ts';
import type { ControlInput } from '../../operations/control-operations.ts';
import type { ReplayChanges } from '../../operations/replay-deliveries.ts';
import { assertLocalHost } from '../../platform/address-policy.ts';
import type { DeliveryRow } from '../../store/delivery-queries.ts';
import { getDeliveryRow } from '../service/access.ts';
import type { Sandbox } from '../service/sandbox.ts';

/**
 * Schedules a replay. It is due now, even if the schedule clock is frozen, but waits while the endpoint is disabled.
 *
 * Without changes the delivery gets a new attempt: same ID, same bytes, new timestamp and signature. The attempt replaces a
 * pending retry; if it fails, the retry schedule continues from there. A settled delivery gets this one attempt. With a new
 * ID, URL or body, a new delivery with its own retry schedule is created.
 * @returns the row of the delivery that will be attempted
 * @throws SvcError `not_found`, `validation_failed`, or `conflict` if the endpoint was deleted
 */
export async function replayDelivery(
  sandbox: Sandbox,
  request: ControlInput<'replayDelivery'>,
): Promise<DeliveryRow> {
  const { store, bus } = sandbox;
  const row = getDeliveryRow(sandbox, request.id);
  const changes = parseChanges(sandbox, request);
  if (changes.url !== null) await assertLocalHost('url', changes.url, sandbox.rules.webhookUrl);
  const isNew = request.new_id === true || changes.url !== null || changes.body !== null;
  const now = sandbox.workspaces.get(row.workspace_seq).clock.now();
  const seq = await store.write(() => {
    assertEndpointExists(sandbox, row);
    if (isNew) return copyDelivery(sandbox, row, changes, now);
    store.deliveries.requestReplay(row.seq, now);
    return row.seq;
  });
  bus.publish({ type: 'schedule_changed' });
  return store.deliveryQueries.findBySeq(seq) ?? row;
}

/** The URL and the body to send instead of those of the original; null for the same. */
interface ParsedChanges {
  readonly url: string | null;
  readonly body: string | null;
}

function parseChanges({ rules }: Sandbox, { url, body }: ReplayChanges): ParsedChanges {
  const urlError = url === undefined ? null : findWebhookUrlError('url', url, rules.webhookUrl);
  if (urlError !== null) throw urlError;
  // Throws if it is not a JSON object.
  if (body !== undefined) parseJsonObject(body);
  const sent = body === undefined || rules.sender.body === 'payload' ? body : compactJson(body);
  return { url: url ?? null, body: sent ?? null };
}

/** Call inside the transaction of the replay, because an earlier write of the same group can delete the endpoint. */
function assertEndpointExists({ store }: Sandbox, row: DeliveryRow): void {
  if (store.webhooks.getBySeq(row.webhook_seq).deleted_at === null) return;
  throw new SvcError('conflict', `The endpoint ${row.webhook_id} of this delivery has been deleted.`, {
    hint: { text: 'Register an endpoint and create the event again', command: 'svc trigger' },
  });
}

function copyDelivery(
  { store, workspaces }: Sandbox,
  row: DeliveryRow,
  { url, body }: ParsedChanges,
  now: number,
): number {
  const seq = store.nextSeq();
  store.deliveries.insertCopy({
    seq,
    id: workspaces.get(row.workspace_seq).ids.next('delivery', now),
    created_at: now,
    own_url: url,
    own_body: body,
    replay_of_seq: row.seq,
  });
  return seq;
}
