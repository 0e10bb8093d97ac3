/** The endpoints of `svc listen`: registered at its start, kept by its live stream, and removed at its end. */
import type { ControlInput } from '../../contract/control-operations.ts';
import type { WebhookWithSecret } from '../../contract/resources.ts';
import type { StreamItem } from '../../contract/stream-schemas.ts';
import type { ControlPlane, LiveStream } from '../../control/control-plane.ts';
import { SvcError } from '../../errors.ts';

export type NewEndpoint = ControlInput<'createWebhook'>;

export class TemporaryEndpoints {
  readonly control: ControlPlane;
  readonly #wanted: readonly NewEndpoint[];
  #endpoints: readonly WebhookWithSecret[] = [];

  constructor(control: ControlPlane, wanted: readonly NewEndpoint[]) {
    this.control = control;
    this.#wanted = wanted;
  }

  /** The registered endpoints. */
  get endpoints(): readonly WebhookWithSecret[] {
    return this.#endpoints;
  }

  /**
   * Registers all endpoints or none. An endpoint that a former listener left for the same URL is reused, with its secret
   * and its deliveries. New endpoints share one secret, because a receiver has one, and keep it when they are registered
   * again.
   */
  async register(): Promise<void> {
    const registered: WebhookWithSecret[] = [];
    try {
      for (const [index, endpoint] of this.#wanted.entries()) {
        const secret = this.#endpoints[index]?.secret ?? registered[0]?.secret;
        const known = secret === undefined ? {} : { secret };
        registered.push(await this.control.createWebhook({ ...endpoint, ...known, reuse: true }));
      }
    } catch (error) {
      await removeAll(this.control, registered);
      throw error;
    }
    this.#endpoints = registered;
  }

  /**
   * The live stream that keeps the endpoints. If the emulator no longer has them, for example after a restart without its
   * data, they are registered again, `onRestored` is called, and the stream continues.
   */
  follow(types: string, signal: AbortSignal, onRestored: () => Promise<void>): LiveStream {
    const leaving = new AbortController();
    const end = AbortSignal.any([signal, leaving.signal]);
    const open = () =>
      this.control.stream({ types, listener: this.#endpoints.map(({ id }) => id).join(',') }, end);
    const first = open();
    const items = reopenWhenLost(first, async () => {
      await this.register();
      await onRestored();
      return open();
    });
    return {
      ready: first.ready,
      [Symbol.asyncIterator]: () => ({
        next: () => items.next(),
        return() {
          // Otherwise `return` waits for the next item.
          leaving.abort();
          return items.return(undefined);
        },
      }),
    };
  }

  /**
   * Removes the temporary endpoints. If the emulator does not respond, it removes them itself later.
   * @returns the number of pending deliveries that were canceled
   */
  remove(control: ControlPlane): Promise<number> {
    return removeAll(control, this.#endpoints);
  }
}

async function removeAll(control: ControlPlane, endpoints: readonly WebhookWithSecret[]): Promise<number> {
  const counts = endpoints
    .filter(({ listener }) => listener)
    .map(({ id }) =>
      control.deleteWebhook({ id }).then(
        ({ canceled_deliveries: canceled }) => canceled,
        () => 0,
      ),
    );
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

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
