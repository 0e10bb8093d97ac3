/** Registers the endpoint of `svc listen`, registers it again if the emulator loses it, and removes it at the end. */

import { SvcError } from '../../domain/errors.ts';
import type { ControlInput } from '../../operations/control-operations.ts';
import type { ControlPlane, LiveStream } from '../../operations/control-plane.ts';
import type { StreamItem } from '../../operations/stream-schemas.ts';
import { abortAtEnd, createLinkedController } from '../../platform/abort-signals.ts';
import type { RegisteredWebhook } from '../../resources/endpoint.ts';

export type NewEndpoint = ControlInput<'createWebhook'>;

export class ListenEndpoint {
  readonly control: ControlPlane;
  readonly #newEndpoint: NewEndpoint;
  #registered: RegisteredWebhook;

  private constructor(control: ControlPlane, newEndpoint: NewEndpoint, registered: RegisteredWebhook) {
    this.control = control;
    this.#newEndpoint = newEndpoint;
    this.#registered = registered;
  }

  /**
   * An endpoint with the same URL is reused, with its secret and its deliveries: one that an earlier `svc listen` left, one of
   * another `svc listen`, or a permanent one that gets some of the same events.
   */
  static async register(control: ControlPlane, newEndpoint: NewEndpoint): Promise<ListenEndpoint> {
    const registered = await control.createWebhook({ ...newEndpoint, reuse: true });
    return new ListenEndpoint(control, newEndpoint, registered);
  }

  /** As the emulator has registered it. */
  get registered(): RegisteredWebhook {
    return this.#registered;
  }

  /**
   * The live stream that keeps the endpoint. If the emulator no longer has it, for example after a restart without its data, it
   * is registered again with the same secret, and the stream continues.
   * @param types types of stream items, separated by commas, such as `attempt,delivery`
   * @param onRegistered is called after the endpoint was registered again
   */
  follow(types: string, signal: AbortSignal, onRegistered: () => void): LiveStream {
    const ended = createLinkedController([signal]);
    const open = () => this.control.stream({ types, listener: this.#registered.id }, ended.signal);
    const first = open();
    const reopened = reopenWhenLost(first, async () => {
      const { secret } = this.#registered;
      this.#registered = await this.control.createWebhook({ ...this.#newEndpoint, secret, reuse: true });
      const stream = open();
      // Waits, so that the stream contains every attempt after `onRegistered` is called. If it cannot be opened, iterating
      // over it throws the error.
      await stream.ready.catch(() => undefined);
      onRegistered();
      return stream;
    });
    const items = abortAtEnd(reopened, ended);
    return {
      ready: first.ready,
      [Symbol.asyncIterator]: () => ({
        next: () => items.next(),
        return() {
          // Otherwise `return` of the generator waits until the stream has another item.
          ended.abort();
          return items.return(undefined);
        },
      }),
    };
  }

  /**
   * Removes a temporary endpoint, unless another `svc listen` has registered it. If the emulator does not respond, it removes it itself later.
   * @param control a client of its own, because an interruption aborts the requests of `this.control`
   * @returns the number of pending deliveries that were canceled
   */
  async remove(control: ControlPlane): Promise<number> {
    const { id, listener, shared } = this.#registered;
    if (!listener || shared) return 0;
    return control.deleteWebhook({ id }).then(
      ({ canceled_deliveries: count }) => count,
      () => 0,
    );
  }
}

/** The stream ends with `not_found` when the emulator does not have an endpoint of `listener`. */
async function* reopenWhenLost(
  first: LiveStream,
  reopen: () => Promise<LiveStream>,
): AsyncGenerator<StreamItem, undefined> {
  let stream = first;
  for (;;) {
    try {
      yield* stream;
      return;
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'not_found') throw error;
    }
    stream = await reopen();
  }
}
