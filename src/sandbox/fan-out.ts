/**
 * Events for many endpoints. Their deliveries are written in slices, so that no turn of the event loop takes long, and
 * still become visible and durable together with the event: see `store/unpublished-event.ts`.
 */
import { SvcError } from '../errors.ts';
import type { EventRow } from '../store/events.ts';
import type { WebhookRow } from '../store/webhooks.ts';
import { setImmediate } from '../timers.ts';
import { persistClockIfNeeded } from './clock-persistence.ts';
import { type CreatedEvent, insertDelivery, type NewEvent, toEventRow } from './events.ts';
import type { Sandbox } from './sandbox.ts';

/** An event for more endpoints than this is created in slices. */
const FAN_OUT_THRESHOLD = 500;
/** Deliveries that are written in one turn of the event loop. */
export const FAN_OUT_SLICE = 200;

/** An event whose deliveries are written, and that is not. */
export interface PreparedEvent {
  /** Writes the event, and makes its deliveries visible with it. Inside a write. */
  publish(): CreatedEvent;
}

export class FanOut {
  readonly #sandbox: Sandbox;
  /** The last event that was prepared: the next one waits for it. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** Whether an event has so many endpoints that it is to be created by {@link create}. */
  async isNeededFor({ workspace, type }: NewEvent): Promise<boolean> {
    const { webhooks } = this.#sandbox.store;
    await webhooks.loadSubscriptions(workspace.seq);
    return webhooks.listSubscribed(workspace.seq, type).length > FAN_OUT_THRESHOLD;
  }

  /**
   * Prepares an event and lets `finish` write it; what was prepared is removed where that fails. One event at a time.
   * @throws SvcError `storage_unavailable`, or `conflict` when the emulator was reset meanwhile.
   */
  create<Result>(input: NewEvent, finish: (prepared: PreparedEvent) => Promise<Result>): Promise<Result> {
    const run = () => this.#create(input, finish);
    const result = this.#last.then(run, run);
    this.#last = result.catch(() => {});
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
      const event = toEventRow(input);
      const row = { ...event.row, seq };
      let isPublished = false;
      await this.#writeDeliveries(input, row, webhooks);
      const result = await finish({
        publish: () => {
          this.#assertReserved(seq);
          store.events.insert(row);
          store.publishEvent();
          isPublished = true;
          persistClockIfNeeded(this.#sandbox, input.workspace);
          const news = [{ type: 'event_due', workspaceSeq: row.workspace_seq, eventSeq: seq }] as const;
          return { record: event.record, toPublish: news };
        },
      });
      if (isPublished) store.revealEvent();
      else store.discardEvent();
      return result;
    } catch (error) {
      if (store.isReserved(seq)) store.discardEvent();
      throw error;
    }
  }

  async #writeDeliveries(input: NewEvent, event: EventRow, webhooks: readonly WebhookRow[]): Promise<void> {
    const { store } = this.#sandbox;
    const { revision } = store.webhooks;
    // One that was deleted meanwhile would keep its delivery pending for ever.
    const isThere = ({ seq }: WebhookRow) =>
      store.webhooks.revision === revision || store.webhooks.findBySeq(seq)?.deleted_at === null;
    for (let at = 0; at < webhooks.length; at += FAN_OUT_SLICE) {
      this.#assertReserved(event.seq);
      store.writeUnpublished(() => {
        for (const [index, webhook] of webhooks.slice(at, at + FAN_OUT_SLICE).entries()) {
          if (!isThere(webhook)) continue;
          insertDelivery(this.#sandbox, input.workspace, event, webhook.seq, event.seq + 1 + at + index);
        }
      });
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #assertReserved(eventSeq: number): void {
    if (this.#sandbox.store.isReserved(eventSeq)) return;
    throw new SvcError('conflict', 'The emulator was reset while the event was being created.', {
      hint: 'Create the event again.',
    });
  }
}
