/**
 * Removes the endpoint of a `svc listen` that has ended or was killed. While the live stream of the listener is open, it holds
 * the endpoint. The endpoint is removed when no stream has held it for a grace period of real time.
 */

import { clearTimeout, setTimeout } from '../../platform/timers.ts';
import type { WebhookRow } from '../../store/webhooks.ts';
import type { Sandbox } from './sandbox.ts';
import { removeWebhook } from './webhooks.ts';

interface ListenerEndpointCleanupOptions {
  readonly gracePeriodMs: number;
  /** Called if an endpoint cannot be removed. */
  readonly onInternalError: (error: unknown) => void;
}

interface ListenerState {
  /** Number of streams that hold the endpoint. */
  streams: number;
  graceTimer?: NodeJS.Timeout;
}

export class ListenerEndpointCleanup {
  readonly #sandbox: Sandbox;
  readonly #options: ListenerEndpointCleanupOptions;
  /** By ID of the endpoint. */
  readonly #states = new Map<string, ListenerState>();
  #isStopped = false;

  constructor(sandbox: Sandbox, options: ListenerEndpointCleanupOptions) {
    this.#sandbox = sandbox;
    this.#options = options;
  }

  /** Gives listeners a grace period to reconnect after a restart, and after a snapshot was loaded. */
  start(): void {
    this.#startAllGracePeriods();
    this.#sandbox.bus.subscribe(({ type }) => type === 'state_replaced' && this.#startAllGracePeriods());
  }

  #startAllGracePeriods(): void {
    for (const id of this.#sandbox.store.webhooks.listListenerIds()) this.startGracePeriod(id);
  }

  /** Stops removing endpoints. The next start continues. */
  stop(): void {
    this.#isStopped = true;
    for (const { graceTimer } of this.#states.values()) clearTimeout(graceTimer);
  }

  /** Removes an endpoint after the grace period, unless a stream holds it by then. */
  startGracePeriod(id: string): void {
    const state = this.#getOrCreateState(id);
    if (this.#isStopped || state.streams > 0) return;
    clearTimeout(state.graceTimer);
    state.graceTimer = setTimeout(() => {
      this.#states.delete(id);
      this.#remove(id).catch(this.#options.onInternalError);
    }, this.#options.gracePeriodMs);
  }

  /** Keeps an endpoint until the returned function is called. Only the first call counts. */
  acquire(id: string): () => void {
    const state = this.#getOrCreateState(id);
    clearTimeout(state.graceTimer);
    state.streams++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      state.streams--;
      this.startGracePeriod(id);
    };
  }

  /** Whether a listener uses an endpoint now. */
  isHeld({ id, listener, deleted_at: deletedAt }: WebhookRow): boolean {
    return listener === 1 && deletedAt === null && (this.#states.get(id)?.streams ?? 0) > 0;
  }

  #getOrCreateState(id: string): ListenerState {
    const state = this.#states.get(id) ?? { streams: 0 };
    this.#states.set(id, state);
    return state;
  }

  async #remove(id: string): Promise<void> {
    // It may have been deleted or made permanent meanwhile.
    if (this.#sandbox.store.webhooks.find(id)?.listener === 1) await removeWebhook(this.#sandbox, id);
  }
}
