/** Publishes events inside the process after a commit. */

/** A delivery got a due time: it is new, or a replay was requested. */
export interface DeliveryDue {
  readonly type: 'delivery_due';
  readonly webhookSeq: number;
  readonly deliverySeq: number;
  readonly dueAt: number;
}

export type SandboxEvent =
  | DeliveryDue
  /** All deliveries of an event are due; used for an event with many endpoints. */
  | { readonly type: 'event_due'; readonly workspaceSeq: number; readonly eventSeq: number }
  /** The pending deliveries of an endpoint were canceled. */
  | { readonly type: 'deliveries_canceled'; readonly webhookSeq: number }
  /** An endpoint was enabled, disabled or changed. */
  | { readonly type: 'webhook_changed'; readonly webhookSeq: number }
  /** The schedule clock of a workspace was set or moved. */
  | { readonly type: 'clock_changed'; readonly workspaceSeq: number }
  /** All rows were replaced: state that was read before is invalid. */
  | { readonly type: 'state_replaced' };

export type SandboxEventListener = (event: SandboxEvent) => void;

export class EventBus {
  readonly #listeners = new Set<SandboxEventListener>();

  /** @returns a function that ends the subscription. */
  subscribe(listener: SandboxEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(event: SandboxEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
