/** Creates and reads events. An event and its deliveries are one transaction (§6). */
import { toEnvelope, toEventRecord } from '../domain/event.ts';
import { SvcError } from '../errors.ts';
import type { NewDelivery } from '../store/deliveries.ts';
import { type EventRow, toEventRecordText } from '../store/events.ts';
import { toPageRequest } from '../store/row-page.ts';
import type { WebhookRow } from '../store/webhooks.ts';
import { yieldToEventLoop } from '../timers.ts';
import { type Caller, canAccess, createNotFoundError, resolveWorkspace } from './access.ts';
import type { Sandbox, SandboxEvent } from './sandbox.ts';
import type { LoadedWorkspace } from './workspace-registry.ts';

export interface NewEvent {
  readonly workspace: LoadedWorkspace;
  readonly type: string;
  /** The ID; default: a new one. */
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

/** Writes an event and a delivery for each subscribed endpoint. Call inside a store transaction. */
export function createEvent(sandbox: Pick<Sandbox, 'store' | 'workspaces'>, input: NewEvent): CreatedEvent {
  const { store } = sandbox;
  const { row, record } = toEventRow(sandbox, input, store.nextSeq());
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
  sandbox.workspaces.persistClockIfNeeded(input.workspace);
  return { id: row.id, record, eventsToPublish };
}

/**
 * The row of a new event, and the event record as JSON text.
 * @throws SvcError `conflict` if the state was replaced since the workspace was found, for example while the event waited.
 */
function toEventRow(
  { workspaces }: Pick<Sandbox, 'workspaces'>,
  { workspace, type, payload, id }: NewEvent,
  seq: number,
) {
  if (!workspaces.isCurrent(workspace)) throw createResetError();
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
    seq,
    id: fields.id,
    workspace_seq: workspace.seq,
    type,
    created_at: createdAt,
    envelope: toEnvelope(fields, record),
  };
  return { row, record };
}

/** Writes a new pending delivery. Call inside a store transaction. */
function insertDelivery(
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

/** An event with more endpoints than this is created in slices. */
const FAN_OUT_THRESHOLD = 500;
/** Deliveries written in one turn of the event loop. */
export const FAN_OUT_SLICE = 200;

/** An event with deliveries that are written but not yet visible. */
export interface PreparedEvent {
  /** Writes the event, which makes its deliveries visible. Call inside a store transaction. */
  publish(): CreatedEvent;
}

/**
 * Creates events for many endpoints. The deliveries are written in slices to keep the event loop responsive, and become
 * visible and durable together with the event, see `UnpublishedEvent`.
 */
export class FanOut {
  readonly #sandbox: Pick<Sandbox, 'store' | 'workspaces'>;
  /** The last creation that was started; the next one waits for it. */
  #lastCreation: Promise<unknown> = Promise.resolve();

  constructor(sandbox: Pick<Sandbox, 'store' | 'workspaces'>) {
    this.#sandbox = sandbox;
  }

  /** Whether an event has so many endpoints that {@link create} must create it. */
  isNeededFor({ workspace, type }: NewEvent): boolean {
    return this.#sandbox.store.webhooks.listSubscribed(workspace.seq, type).length > FAN_OUT_THRESHOLD;
  }

  /**
   * Writes the deliveries of an event, then calls `finish` to write the event. If `finish` fails, or does not publish the event
   * because the response of an idempotency key is already stored, the deliveries are deleted. One event at a time.
   * @throws SvcError `storage_unavailable`, or `conflict` if the emulator is reset meanwhile.
   */
  create<Result>(input: NewEvent, finish: (prepared: PreparedEvent) => Promise<Result>): Promise<Result> {
    const run = () => this.#create(input, finish);
    const result = this.#lastCreation.then(run, run);
    this.#lastCreation = result.catch(() => {});
    return result;
  }

  async #create<Result>(
    input: NewEvent,
    finish: (prepared: PreparedEvent) => Promise<Result>,
  ): Promise<Result> {
    const { store } = this.#sandbox;
    const webhooks = store.webhooks.listSubscribed(input.workspace.seq, input.type);
    const seq = store.reserveEvent(webhooks.length);
    try {
      const { row, record } = toEventRow(this.#sandbox, input, seq);
      let isPublished = false;
      await this.#writeDeliveries(input, row, webhooks);
      const result = await finish({
        publish: () => {
          this.#assertReserved(seq);
          store.events.insert(row);
          store.unpublishedEvent.publish();
          isPublished = true;
          this.#sandbox.workspaces.persistClockIfNeeded(input.workspace);
          return {
            id: row.id,
            record,
            eventsToPublish: [{ type: 'event_due', workspaceSeq: row.workspace_seq, eventSeq: seq }],
          };
        },
      });
      if (isPublished) store.unpublishedEvent.reveal();
      else store.unpublishedEvent.discard();
      return result;
    } catch (error) {
      if (store.unpublishedEvent.isReserved(seq)) store.unpublishedEvent.discard();
      throw error;
    }
  }

  async #writeDeliveries(input: NewEvent, event: EventRow, webhooks: readonly WebhookRow[]): Promise<void> {
    const { store } = this.#sandbox;
    const { revision } = store.webhooks;
    // A delivery for an endpoint that was deleted meanwhile would stay pending forever.
    const exists = ({ seq }: WebhookRow) =>
      store.webhooks.revision === revision || store.webhooks.findBySeq(seq)?.deleted_at === null;
    for (let start = 0; start < webhooks.length; start += FAN_OUT_SLICE) {
      this.#assertReserved(event.seq);
      store.unpublishedEvent.writeSlice(() => {
        for (const [index, webhook] of webhooks.slice(start, start + FAN_OUT_SLICE).entries()) {
          if (!exists(webhook)) continue;
          insertDelivery(this.#sandbox, input.workspace, event, webhook.seq, event.seq + 1 + start + index);
        }
      });
      await yieldToEventLoop();
    }
  }

  #assertReserved(eventSeq: number): void {
    if (this.#sandbox.store.unpublishedEvent.isReserved(eventSeq)) return;
    throw createResetError();
  }
}

function createResetError(): SvcError {
  return new SvcError('conflict', 'The emulator was reset while the event was being created.', {
    hint: 'Create the event again.',
  });
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
