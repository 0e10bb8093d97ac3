/** Creates and reads events. An event and its deliveries are one transaction (§6). */
import { toEnvelope, toEventRecord } from '../domain/event.ts';
import { toEventRecordText } from '../store/events.ts';
import { toPageRequest } from '../store/row-page.ts';
import { type Caller, canAccess, createNotFoundError, resolveWorkspace } from './access.ts';
import type { Sandbox, SandboxEvent } from './sandbox.ts';
import type { LoadedWorkspace } from './workspace-registry.ts';

interface NewEvent {
  readonly workspace: LoadedWorkspace;
  readonly type: string;
  /** The ID; default: a new one. */
  readonly id?: string | undefined;
  /** JSON text of an object. */
  readonly payload: string;
}

interface CreatedEvent {
  readonly id: string;
  /** The event record as JSON text. */
  readonly record: string;
  /** Sandbox events to publish after the commit. */
  readonly eventsToPublish: readonly SandboxEvent[];
}

/** Writes an event and a delivery for each subscribed endpoint. Call inside a store transaction. */
export function createEvent(
  { store, workspaces, wall }: Pick<Sandbox, 'store' | 'workspaces' | 'wall'>,
  { workspace, type, payload, id }: NewEvent,
): CreatedEvent {
  const createdAt = workspace.clock.now();
  const fields = {
    id: id ?? workspace.ids.next('event', createdAt),
    workspaceId: workspace.id,
    type,
    payload,
    createdAt,
  };
  const record = toEventRecord(fields);
  const row = {
    seq: store.nextSeq(),
    id: fields.id,
    workspace_seq: workspace.seq,
    type,
    created_at: createdAt,
    stored_at_wall: wall.now(),
    envelope: toEnvelope(fields, record),
  };
  store.events.insert(row);
  const eventsToPublish = store.webhooks.listSubscribed(workspace.seq, type).map((webhook): SandboxEvent => {
    store.deliveries.insert({
      seq: store.nextSeq(),
      id: workspace.ids.next('delivery', createdAt),
      event_seq: row.seq,
      webhook_seq: webhook.seq,
      workspace_seq: workspace.seq,
      created_at: createdAt,
      due_at: createdAt,
    });
    return { type: 'delivery_due', webhookSeq: webhook.seq, workspace };
  });
  workspaces.persistClockIfNeeded(workspace);
  return { id: row.id, record, eventsToPublish };
}

/** The event record as JSON text. @throws SvcError `not_found`, even for an event in a workspace that the key cannot access. */
export function getEvent({ store }: Pick<Sandbox, 'store'>, caller: Caller, id: string): string {
  const row = store.events.find(id);
  if (row === undefined || !canAccess(caller, row.workspace_seq)) throw createNotFoundError('event', id);
  return toEventRecordText(row);
}

interface EventListInput {
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
  const ifMissing = { field: rules.list.workspaceParameter, code: 'invalid_request' } as const;
  const workspace = resolveWorkspace(sandbox, caller, input.workspaceId, ifMissing);
  const request = toPageRequest(input, (id) => {
    const row = store.events.find(id);
    return row?.workspace_seq === workspace.seq ? row.seq : undefined;
  });
  const { rows, hasMore } = store.events.list(workspace.seq, input.type ?? null, request);
  const endCursor = JSON.stringify(rows.at(-1)?.id ?? null);
  return `{"data":[${rows.map(toEventRecordText).join(',')}],"has_more":${hasMore},"end_cursor":${endCursor}}`;
}
