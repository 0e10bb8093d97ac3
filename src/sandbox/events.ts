/** Creates and reads events. An event and its deliveries are one transaction (§6). */
import { toEnvelope, toEventRecord } from '../domain/event.ts';
import type { NewDelivery } from '../store/deliveries.ts';
import { type EventRow, toEventRecordText } from '../store/events.ts';
import { toPageRequest } from '../store/row-page.ts';
import { type Caller, canAccess, createNotFoundError, resolveWorkspace } from './access.ts';
import { persistClockIfNeeded } from './clock-persistence.ts';
import type { SandboxEvent } from './event-bus.ts';
import type { Sandbox } from './sandbox.ts';
import type { LoadedWorkspace } from './workspace-registry.ts';

export interface NewEvent {
  readonly workspace: LoadedWorkspace;
  readonly type: string;
  /** The id; default: a new one. */
  readonly id?: string | undefined;
  /** JSON text of an object. */
  readonly payload: string;
}

export interface CreatedEvent {
  readonly id: string;
  /** The event record as JSON text. */
  readonly record: string;
  /** Sandbox events to publish after the commit. */
  readonly eventsToPublish: readonly SandboxEvent[];
}

/** Writes an event and a delivery for each subscribed endpoint. Call inside a write. */
export function createEvent(sandbox: Pick<Sandbox, 'store' | 'wall'>, input: NewEvent): CreatedEvent {
  const { store } = sandbox;
  const event = toEventRow(input);
  const seq = store.nextSeq();
  const row = { ...event.row, seq };
  store.events.insert(row);
  const webhooks = store.webhooks.listSubscribed(row.workspace_seq, input.type);
  const eventsToPublish = webhooks.map((webhook): SandboxEvent => {
    const delivery = insertDelivery(sandbox, input.workspace, row, webhook.seq, store.nextSeq());
    store.deliveries.preload(delivery, webhook, row.envelope);
    return {
      type: 'delivery_due',
      webhookSeq: webhook.seq,
      deliverySeq: delivery.seq,
      dueAt: delivery.due_at,
    };
  });
  persistClockIfNeeded(sandbox, input.workspace);
  return { id: row.id, record: event.record, eventsToPublish };
}

/** The row of a new event without its sequence, and the event record as JSON text. */
export function toEventRow({ workspace, type, payload, id }: NewEvent) {
  const createdAt = workspace.clock.now();
  const fields = {
    id: id ?? workspace.ids.next('event', createdAt),
    workspaceId: workspace.id,
    type,
    payload,
    createdAt,
  };
  const row = {
    id: fields.id,
    workspace_seq: workspace.seq,
    type,
    created_at: createdAt,
    envelope: toEnvelope(fields),
  };
  return { row, record: toEventRecord(fields) };
}

/** Writes a new pending delivery. Call inside a write. */
export function insertDelivery(
  { store }: Pick<Sandbox, 'store'>,
  { ids }: LoadedWorkspace,
  event: Omit<EventRow, 'envelope'>,
  webhookSeq: number,
  seq: number,
): NewDelivery {
  const delivery = {
    seq,
    id: ids.next('delivery', event.created_at),
    event_seq: event.seq,
    webhook_seq: webhookSeq,
    workspace_seq: event.workspace_seq,
    created_at: event.created_at,
    due_at: event.created_at,
  };
  store.deliveries.insert(delivery);
  return delivery;
}

/** The event record as JSON text. @throws SvcError `not_found`, also for an event in a workspace that the key cannot access. */
export function getEvent({ store }: Pick<Sandbox, 'store'>, caller: Caller, id: string): string {
  const row = store.events.find(id);
  if (row === undefined || !canAccess(caller, row.workspace_seq)) throw createNotFoundError('event', id);
  return toEventRecordText(row);
}

export interface EventListInput {
  readonly limit: number;
  readonly starting_after?: string | undefined;
  readonly type?: string | undefined;
  readonly workspaceId: string | undefined;
}

/** A page of events, newest first, as JSON text of the list body (§2). */
export function listEvents(
  sandbox: Pick<Sandbox, 'store' | 'rules' | 'workspaces'>,
  caller: Caller,
  input: EventListInput,
): string {
  const { store, rules } = sandbox;
  const missing = { parameter: rules.list.workspaceParameter, code: 'invalid_request' } as const;
  const workspace = resolveWorkspace(sandbox, caller, input.workspaceId, missing);
  const request = toPageRequest(input, (id) => {
    const row = store.events.find(id);
    return row?.workspace_seq === workspace.seq ? row.seq : undefined;
  });
  const { rows, hasMore } = store.events.list(workspace.seq, input.type ?? null, request);
  const endCursor = JSON.stringify(rows.at(-1)?.id ?? null);
  return `{"data":[${rows.map(toEventRecordText).join(',')}],"has_more":${hasMore},"end_cursor":${endCursor}}`;
}
