/**
 * Endpoints that are there for as long as somebody listens. `svc listen` registers one and follows a live stream that
 * holds it; where that ends without a word, killed for example, the endpoint is removed once no stream has held it for
 * a grace period of real time.
 */
import type { WebhookRow } from '../store/webhooks.ts';
import { clearTimeout, setTimeout } from '../timers.ts';
import type { Sandbox } from './sandbox.ts';
import { removeWebhook } from './webhooks.ts';

export interface ListenerEndpointsOptions {
  readonly gracePeriodMs: number;
  /** Told when an endpoint could not be removed. */
  readonly onInternalError: (fault: unknown) => void;
}

/** What is known of an endpoint since boot. */
interface ListenerState {
  /** Streams that hold it. */
  streams: number;
  /** A stream has held it, and none does now. */
  left: boolean;
  grace?: NodeJS.Timeout;
}

export class ListenerEndpoints {
  readonly #sandbox: Sandbox;
  readonly #options: ListenerEndpointsOptions;
  /** By id. */
  readonly #watches = new Map<string, ListenerState>();
  #isOver = false;

  constructor(sandbox: Sandbox, options: ListenerEndpointsOptions) {
    this.#sandbox = sandbox;
    this.#options = options;
  }

  /** Gives the listeners of the time before a restart the grace period to come back; so too when a snapshot brings some. */
  start(): void {
    this.#expectAll();
    this.#sandbox.bus.subscribe(({ type }) => type === 'renewed' && this.#expectAll());
  }

  #expectAll(): void {
    for (const id of this.#sandbox.store.webhooks.listListenerIds()) this.startGracePeriod(id);
  }

  /** Removes nothing any more: the next start sees to it. */
  stop(): void {
    this.#isOver = true;
    for (const { grace } of this.#watches.values()) clearTimeout(grace);
  }

  /** Gives an endpoint the grace period to be held. */
  startGracePeriod(id: string): void {
    const watch = this.#watchOf(id);
    if (this.#isOver || watch.streams > 0) return;
    watch.left = false;
    clearTimeout(watch.grace);
    watch.grace = setTimeout(() => {
      this.#watches.delete(id);
      this.#remove(id).catch(this.#options.onInternalError);
    }, this.#options.gracePeriodMs);
  }

  /** @returns a function that lets go of the endpoint; only its first call counts. */
  acquire(id: string): () => void {
    const watch = this.#watchOf(id);
    clearTimeout(watch.grace);
    watch.streams++;
    watch.left = false;
    let holds = true;
    return () => {
      if (!holds) return;
      holds = false;
      watch.streams--;
      this.startGracePeriod(id);
      watch.left = watch.streams === 0;
    };
  }

  /**
   * Whether the listener of an endpoint has gone, so that the next one for the same address may have it. One that has
   * not come yet, or not come back since boot, may still do so.
   */
  isAbandoned({ id, listener, deleted_at: deletedAt }: WebhookRow): boolean {
    return listener === 1 && (deletedAt !== null || this.#watches.get(id)?.left === true);
  }

  #watchOf(id: string): ListenerState {
    const watch = this.#watches.get(id) ?? { streams: 0, left: false };
    this.#watches.set(id, watch);
    return watch;
  }

  async #remove(id: string): Promise<void> {
    // It may be gone by now, or be one that stays whether somebody listens or not.
    if (this.#sandbox.store.webhooks.find(id)?.listener === 1) await removeWebhook(this.#sandbox, id);
  }
}
