/**
 * Creates events for many endpoints. The deliveries are written in slices to keep the event loop responsive, and become
 * visible and durable together with the event, see `store/unpublished-event.ts`.
 */
import { SvcError } from '../errors.ts';
import type { EventRow } from '../store/events.ts';
import type { WebhookRow } from '../store/webhooks.ts';
import { setImmediate } from '../timers.ts';
import { persistClockIfNeeded } from './clock-persistence.ts';
import { type CreatedEvent, insertDelivery, type NewEvent, toEventRow } from './events.ts';
import type { Sandbox } from './sandbox.ts';

/** An event with more endpoints than this is created in slices. */
const FAN_OUT_THRESHOLD = 500;
/** Deliveries written in one turn of the event loop. */
export const FAN_OUT_SLICE = 200;

/** An event whose deliveries are written but not yet visible. */
export interface PreparedEvent {
  /** Writes the event, which makes its deliveries visible. Call inside a write. */
  publish(): CreatedEvent;
}

export class FanOut {
  readonly #sandbox: Pick<Sandbox, 'store' | 'wall'>;
  /** The last creation that was started; the next one waits for it. */
  #lastCreation: Promise<unknown> = Promise.resolve();

  constructor(sandbox: Pick<Sandbox, 'store' | 'wall'>) {
    this.#sandbox = sandbox;
  }

  /** Whether an event has so many endpoints that {@link create} must create it. */
  async isNeededFor({ workspace, type }: NewEvent): Promise<boolean> {
    const { webhooks } = this.#sandbox.store;
    await webhooks.loadSubscriptions(workspace.seq);
    return webhooks.listSubscribed(workspace.seq, type).length > FAN_OUT_THRESHOLD;
  }

  /**
   * Writes the deliveries of an event, then calls `finish` to write the event. If that fails, the deliveries are deleted.
   * One event at a time.
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
          return {
            id: row.id,
            record: event.record,
            eventsToPublish: [{ type: 'event_due', workspaceSeq: row.workspace_seq, eventSeq: seq }],
          };
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
    // A delivery for an endpoint that was deleted meanwhile would stay pending forever.
    const exists = ({ seq }: WebhookRow) =>
      store.webhooks.revision === revision || store.webhooks.findBySeq(seq)?.deleted_at === null;
    for (let start = 0; start < webhooks.length; start += FAN_OUT_SLICE) {
      this.#assertReserved(event.seq);
      store.writeUnpublished(() => {
        for (const [index, webhook] of webhooks.slice(start, start + FAN_OUT_SLICE).entries()) {
          if (!exists(webhook)) continue;
          insertDelivery(this.#sandbox, input.workspace, event, webhook.seq, event.seq + 1 + start + index);
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
