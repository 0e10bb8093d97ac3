/** Sending a delivery again (§6, decision `replay`). */
import { compactJson, parseJsonObject } from '../domain/json.ts';
import { checkWebhookUrl } from '../domain/webhook-url.ts';
import { SvcError } from '../errors.ts';
import { notFound } from '../sandbox/access.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { DeliveryRow } from '../store/delivery-queries.ts';

export interface ReplayRequest {
  readonly id: string;
  /** Make a new delivery, with `replay_of`, although nothing else differs. */
  readonly newId?: boolean | undefined;
  /** Another address than the endpoint's. */
  readonly url?: string | null | undefined;
  /** Another body than the event's envelope, as JSON text. */
  readonly body?: string | undefined;
}

/**
 * Plans a replay; it is sent at once, whatever the schedule clock shows.
 *
 * As it stands, a delivery gets a new attempt: same id, same bytes, fresh timestamp and signature. That attempt takes
 * the place of a pending retry; if it fails, the ladder goes on from there. A delivery that had settled is tried this
 * once. Where the id, the address or the body is to differ, a new delivery is made, with a ladder of its own.
 * @returns the row of the delivery that will be attempted.
 * @throws SvcError `not_found`, `validation_failed`, or `conflict` when the endpoint has been deleted.
 */
export async function replayDelivery(sandbox: Sandbox, request: ReplayRequest): Promise<DeliveryRow> {
  const { store, bus } = sandbox;
  const row = store.deliveryQueries.find(request.id);
  if (row === undefined) throw notFound('delivery', request.id);
  const changes = checkChanges(sandbox, request);
  const isNew = request.newId === true || changes.url !== null || changes.body !== null;
  const now = sandbox.workspaces.get(row.workspace_seq).clock.now();
  const seq = await store.write(() => {
    assertEndpoint(sandbox, row);
    return isNew ? copyDelivery(sandbox, row, changes, now) : replayInPlace(sandbox, row, now);
  });
  bus.publish({ type: 'delivery_due', webhookSeq: row.webhook_seq, deliverySeq: seq, dueAt: now });
  return store.deliveryQueries.findBySeq(seq) ?? row;
}

interface Changes {
  readonly url: string | null;
  readonly body: string | null;
}

function checkChanges({ rules }: Sandbox, { url = null, body }: ReplayRequest): Changes {
  const checked = url === null ? null : checkWebhookUrl(url, rules.webhookUrl);
  if (checked && !checked.ok) throw new SvcError('validation_failed', `url ${checked.problem}.`);
  if (body !== undefined) parseJsonObject(body);
  return { url, body: body === undefined ? null : compactJson(body) };
}

/** Looked at inside the write: a deletion in the same group must not leave a delivery that is pending for nobody. */
function assertEndpoint({ store }: Sandbox, row: DeliveryRow): void {
  if (store.webhooks.getBySeq(row.webhook_seq).deleted_at === null) return;
  throw new SvcError('conflict', `The endpoint ${row.webhook_id} of this delivery has been deleted.`, {
    hint: 'Register an endpoint and create the event again with `svc trigger`.',
  });
}

function replayInPlace({ store }: Sandbox, row: DeliveryRow, now: number): number {
  store.deliveries.requestReplay(row.seq, now);
  return row.seq;
}

function copyDelivery(
  { store, workspaces }: Sandbox,
  row: DeliveryRow,
  { url, body }: Changes,
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
