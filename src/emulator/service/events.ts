/** Creates and reads events. An event and its deliveries are one transaction (§6). */
import {
  type EventCondition,
  type EventSettings,
  eventSettings,
  toEventRecord,
} from '../../resources/event.ts';
import { toNewColumns } from '../../store/columns.ts';
import { toEventRecordText } from '../../store/events.ts';
import { toPageRequest } from '../../store/row-page.ts';
import { type Caller, canAccess, createNotFoundError, resolveWorkspace } from './access.ts';
import type { Sandbox, SandboxEvent } from './sandbox.ts';
import type { LoadedWorkspace } from './workspace-registry.ts';

interface NewEvent extends EventSettings {
  readonly workspace: LoadedWorkspace;
  readonly type: string;
  /** The ID; default: a new one. */
  readonly id?: string | undefined;
  /** JSON text of an object. */
  readonly payload: string;
  /** The endpoints that receive it (default: those that subscribe to the type). */
  readonly webhooks?: readonly { readonly seq: number }[] | undefined;
}

/** A new record, as JSON text, and the sandbox events to publish after the commit. */
export interface WriteResult {
  readonly id: string;
  readonly text: string;
  readonly eventsToPublish: readonly SandboxEvent[];
}

/** Writes an event and its deliveries. Call inside a store transaction. */
export function createEvent(
  { store, workspaces, wall, rules }: Sandbox,
  { workspace, type, payload, id, webhooks, ...settings }: NewEvent,
): WriteResult {
  const createdAt = workspace.clock.now();
  const row = {
    seq: store.nextSeq(),
    id: id ?? workspace.ids.next('event', createdAt),
    workspace_seq: workspace.seq,
    type,
    payload,
    created_at: createdAt,
    stored_at_wall: wall.now(),
    ...toNewColumns(eventSettings, settings),
  };
  store.events.insert(row);
  const receivers = webhooks ?? store.webhooks.listSubscribed(workspace.seq, type);
  const eventsToPublish = receivers.map((webhook): SandboxEvent => {
    const seq = store.nextSeq();
    store.deliveries.insert({
      seq,
      id: workspace.ids.next('delivery', createdAt),
      event_seq: row.seq,
      webhook_seq: webhook.seq,
      workspace_seq: workspace.seq,
      own_body: rules.sender.body === 'payload' ? payload : null,
      created_at: createdAt,
      due_at: createdAt,
    });
    return { type: 'delivery_due', seq, webhookSeq: webhook.seq, workspace };
  });
  workspaces.persistClockIfNeeded(workspace);
  const event = { id: row.id, workspace_id: workspace.id, type, payload, created_at: createdAt, ...settings };
  return { id: row.id, text: toEventRecord(event), eventsToPublish };
}

/** The event record as JSON text. @throws SvcError `not_found`, even for an event in a workspace that the key cannot access. */
export function getEvent({ store }: Sandbox, caller: Caller, id: string): string {
  const row = store.events.find(id);
  if (row === undefined || !canAccess(caller, row.workspace_seq)) throw createNotFoundError('event', id);
  return toEventRecordText(row);
}

interface EventListInput {
  readonly limit: number;
  readonly starting_after?: string | undefined;
  readonly workspaceId: string | undefined;
  readonly filter: EventCondition;
}

/** A page of events, newest first, as JSON text of the list body (§2). */
export function listEvents(sandbox: Sandbox, caller: Caller, input: EventListInput): string {
  const { store, rules } = sandbox;
  const { filter } = input;
  const ifMissing = { field: rules.list.workspaceParameter, code: 'invalid_request' } as const;
  const workspace = resolveWorkspace(sandbox, caller, input.workspaceId, ifMissing);
  const request = toPageRequest(input, (id) => {
    const row = store.events.find(id);
    return row?.workspace_seq === workspace.seq ? row.seq : undefined;
  });
  const { rows, hasMore } = store.events.list({ ...filter, workspace_id: workspace.id }, request);
  const endCursor = JSON.stringify(rows.at(-1)?.id ?? null);
  return `{"data":[${rows.map(toEventRecordText).join(',')}],"has_more":${hasMore},"end_cursor":${endCursor}}`;
}
