/** The endpoints of `svc listen`: registered when it starts, held by its live stream, removed when it ends. */
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

  /** Those that are registered. */
  get endpoints(): readonly WebhookWithSecret[] {
    return this.#endpoints;
  }

  /**
   * Registers all that is wanted, or nothing. An endpoint that the last listener for its address left goes on, with
   * its secret and its deliveries. New ones have one secret, as the program that receives has one, and they have it
   * again where the emulator has lost them.
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
   * The live stream that holds the endpoints. Where the emulator has lost them, restarted without its data for example,
   * they are registered anew, `onRestored` is called, and the stream goes on.
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
          // Otherwise the next item, which may be long in coming, would have to come first.
          leaving.abort();
          return items.return(undefined);
        },
      }),
    };
  }

  /**
   * Removes the endpoints, but for those that are there to stay. Where the emulator does not answer, it does so itself
   * in time. @returns how many pending deliveries were canceled.
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
