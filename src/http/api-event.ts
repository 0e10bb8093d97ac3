import type { H3Event } from 'h3';

/** The part of an `H3Event` that the handlers of `/v1` read. A request of this process has only these fields. */
export interface ApiEvent {
  readonly url: URL;
  readonly req: {
    readonly method: string;
    readonly headers: Pick<Headers, 'get' | 'has'> & Iterable<readonly [string, string]>;
    readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null;
  };
  readonly context: Pick<H3Event['context'], 'params'>;
  /** Missing in a request of this process, which came through no connection. */
  readonly runtime?: H3Event['runtime'] | undefined;
}
