/** Events: creating one plans its deliveries in the same transaction (§6). */
import { toEnvelope, toEventRecord } from '../domain/event.ts';
import { claimOfNew } from '../store/deliveries.ts';
import { type EventRow, eventRecordText } from '../store/events.ts';
import { type Caller, maySee, notFound, resolveWorkspace } from './access.ts';
import type { News } from './bus.ts';
import { keepClockAlong } from './clock-keeping.ts';
import type { LiveWorkspace } from './live-workspaces.ts';
import { toPageRequest } from './pages.ts';
import type { Sandbox } from './sandbox.ts';

export interface NewEvent {
  readonly workspace: LiveWorkspace;
  readonly type: string;
  /** Where it is already known; otherwise one is made. */
  readonly id?: string | undefined;
  /** JSON text of an object. */
  readonly payload: string;
}

export interface CreatedEvent {
  /** The event record as JSON text. */
  readonly record: string;
  /** To be published once it is on disk. */
  readonly news: readonly News[];
}

/** Writes an event and one delivery for each endpoint that subscribes to it. Inside a write. */
export function createEvent(sandbox: Sandbox, input: NewEvent): CreatedEvent {
  const { store } = sandbox;
  const { workspace, type, payload } = input;
  const createdAt = workspace.clock.now();
  const id = input.id ?? workspace.ids.next('event', createdAt);
  const facts = { id, workspaceId: workspace.id, type, payload, createdAt };
  const seq = store.nextSeq();
  const workspace_seq = workspace.seq;
  const envelope = toEnvelope(facts);
  store.events.insert({ seq, id, workspace_seq, type, created_at: createdAt, envelope });
  const news = store.webhooks.listSubscribed(workspace.seq, type).map((webhook): News => {
    const delivery = {
      seq: store.nextSeq(),
      id: workspace.ids.next('delivery', createdAt),
      event_seq: seq,
      webhook_seq: webhook.seq,
      workspace_seq,
      created_at: createdAt,
      due_at: createdAt,
    };
    store.deliveries.insert(delivery);
    const fresh = { claim: claimOfNew(delivery, webhook, envelope), revision: store.webhooks.revision };
    return { type: 'due', webhookSeq: webhook.seq, deliverySeq: delivery.seq, dueAt: createdAt, fresh };
  });
  keepClockAlong(sandbox, workspace);
  return { record: toEventRecord(facts), news };
}

/** The event record as JSON text. @throws SvcError `not_found`, also for an event of a hidden workspace. */
export function getEvent({ store }: Sandbox, caller: Caller, id: string): string {
  const row = store.events.find(id);
  if (row === undefined || !maySee(caller, row.workspace_seq)) throw notFound('event', id);
  return eventRecordText(row);
}

export interface EventListInput {
  readonly limit: number;
  readonly starting_after?: string | undefined;
  readonly type?: string | undefined;
  readonly workspaceId: string | undefined;
}

/** A page of events, newest first, as JSON text of the list body (§2). */
export function listEvents(sandbox: Sandbox, caller: Caller, input: EventListInput): string {
  const { store, rules } = sandbox;
  const missing = { parameter: rules.list.workspaceParameter, code: 'invalid_request' } as const;
  const workspace = resolveWorkspace(sandbox, caller, input.workspaceId, missing);
  const ofWorkspace = (row: EventRow | undefined) => (row?.workspace_seq === workspace.seq ? row : undefined);
  const request = toPageRequest(input, (id) => ofWorkspace(store.events.find(id)));
  const { rows, hasMore } = store.events.list(workspace.seq, input.type ?? null, request);
  const endCursor = JSON.stringify(rows.at(-1)?.id ?? null);
  return `{"data":[${rows.map(eventRecordText).join(',')}],"has_more":${hasMore},"end_cursor":${endCursor}}`;
}
