/** News of what has been committed. Whoever hears it finds it on disk. */
import type { SendableDelivery } from '../store/deliveries.ts';

/** What is to be sent, so that it need not be read back; good while the endpoints have this revision. */
export interface PreloadedDelivery {
  readonly delivery: SendableDelivery;
  readonly revision: number;
}

/** A delivery has a due time: newly made, or asked to be replayed. */
export interface DeliveryDue {
  readonly type: 'due';
  readonly webhookSeq: number;
  readonly deliverySeq: number;
  readonly dueAt: number;
  readonly preloaded?: PreloadedDelivery;
}

export type SandboxEvent =
  | DeliveryDue
  /** The deliveries of an event to many endpoints are due. */
  | { readonly type: 'event_due'; readonly workspaceSeq: number; readonly eventSeq: number }
  /** The pending deliveries of an endpoint are no more. */
  | { readonly type: 'canceled'; readonly webhookSeq: number }
  /** An endpoint takes deliveries again, or no longer. */
  | { readonly type: 'webhook_changed'; readonly webhookSeq: number }
  /** The schedule clock of a workspace was set. */
  | { readonly type: 'clock'; readonly workspaceSeq: number }
  /** The rows were replaced: nothing that was learned before holds. */
  | { readonly type: 'renewed' };

export type SandboxEventListener = (sandboxEvent: SandboxEvent) => void;

export class EventBus {
  readonly #listeners = new Set<SandboxEventListener>();

  /** @returns a function that ends the subscription. */
  subscribe(listener: SandboxEventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(sandboxEvent: SandboxEvent): void {
    for (const listener of this.#listeners) listener(sandboxEvent);
  }
}
