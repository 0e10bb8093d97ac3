/**
 * Registers the endpoints of `svc listen`, registers them again if the emulator loses them, and removes them at the end
 * unless `--keep` was used.
 */
import type { ControlInput } from '../../contract/control-operations.ts';
import type { ControlPlane, LiveStream } from '../../contract/control-plane.ts';
import type { WebhookWithSecret } from '../../contract/resources.ts';
import type { StreamItem } from '../../contract/stream-schemas.ts';
import { SvcError } from '../../errors.ts';
import { abortAtEnd, createLinkedController } from '../../timers.ts';

export type NewEndpoint = ControlInput<'createWebhook'>;

/** Why the endpoints have changed: they were registered again, or the secret of one was rotated. */
export type EndpointChange = 'registered' | 'rotated';

export class ListenEndpoints {
  readonly control: ControlPlane;
  readonly #newEndpoints: readonly NewEndpoint[];
  #endpoints: readonly WebhookWithSecret[] = [];

  constructor(control: ControlPlane, newEndpoints: readonly NewEndpoint[]) {
    this.control = control;
    this.#newEndpoints = newEndpoints;
  }

  /** The registered endpoints. */
  get endpoints(): readonly WebhookWithSecret[] {
    return this.#endpoints;
  }

  /**
   * An endpoint with the same URL is reused, with its secret and its deliveries: one that an earlier `svc listen` left, a
   * permanent one that gets some of the same events, or with `--keep`, any permanent one. New endpoints share one secret, because a receiver has one, and keep it when they
   * are registered again. If one registration fails, the temporary endpoints are removed again.
   */
  async register(): Promise<void> {
    const registered: WebhookWithSecret[] = [];
    try {
      for (const [index, endpoint] of this.#newEndpoints.entries()) {
        const secret = this.#endpoints[index]?.secret ?? registered[0]?.secret;
        registered.push(await this.control.createWebhook({ ...endpoint, secret, reuse: true }));
      }
    } catch (error) {
      await removeAll(this.control, registered);
      throw error;
    }
    this.#endpoints = registered;
  }

  /**
   * The live stream that keeps the endpoints. If the emulator no longer has them, for example after a restart without its
   * data, they are registered again, and the stream continues.
   * @param types types of stream items, separated by commas, such as `attempt,delivery`
   * @param onChange is called after the endpoints were registered again, or one got another secret
   */
  follow(
    types: string,
    signal: AbortSignal,
    onChange: (change: EndpointChange) => Promise<void>,
  ): LiveStream {
    const ended = createLinkedController([signal]);
    const open = () =>
      this.control.stream(
        { types: `${types},webhook`, listener: this.#endpoints.map(({ id }) => id).join(',') },
        ended.signal,
      );
    const first = open();
    const reopened = reopenWhenLost(first, async () => {
      await this.register();
      const stream = open();
      // Waits, so that the stream contains every attempt after `onChange` is called. If it cannot be opened, iterating
      // over it throws the error.
      await stream.ready.catch(() => undefined);
      await onChange('registered');
      return stream;
    });
    const items = abortAtEnd(this.#followSecrets(reopened, onChange), ended);
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

  /** Yields all items except changes of endpoints. */
  async *#followSecrets(
    stream: AsyncIterable<StreamItem>,
    onChange: (change: EndpointChange) => Promise<void>,
  ): AsyncGenerator<StreamItem, undefined> {
    for await (const item of stream) {
      if (item.type !== 'webhook') yield item;
      else if (await this.#updateSecret(item.webhook.id)) await onChange('rotated');
    }
  }

  /** @returns whether the endpoint has another secret now */
  async #updateSecret(id: string): Promise<boolean> {
    const known = this.#endpoints.find((endpoint) => endpoint.id === id);
    // It can have been deleted meanwhile.
    const current = await this.control.revealSecret({ id }).catch(() => null);
    if (known === undefined || current === null || current.secret === known.secret) return false;
    this.#endpoints = this.#endpoints.map((endpoint) =>
      endpoint === known ? { ...known, secret: current.secret } : endpoint,
    );
    return true;
  }

  /**
   * Removes the temporary endpoints. If the emulator does not respond, it removes them itself later.
   * @param control a client of its own, because an interruption aborts the requests of `this.control`
   * @returns the number of pending deliveries that were canceled
   */
  remove(control: ControlPlane): Promise<number> {
    return removeAll(control, this.#endpoints);
  }
}

async function removeAll(control: ControlPlane, endpoints: readonly WebhookWithSecret[]): Promise<number> {
  const temporary = endpoints.filter(({ listener }) => listener);
  const results = await Promise.allSettled(temporary.map(({ id }) => control.deleteWebhook({ id })));
  return results.reduce(
    (sum, result) => sum + (result.status === 'fulfilled' ? result.value.canceled_deliveries : 0),
    0,
  );
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
