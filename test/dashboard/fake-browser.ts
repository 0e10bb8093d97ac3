/** A browser without a DOM, for the modules of the page: its history, and tabs that share locks, channels and a server. */
import { act } from 'preact/test-utils';
import { vi } from 'vitest';
import type { StreamItem } from '../../src/contract/stream-schemas.ts';
import type { LiveItem } from '../../src/dashboard/live-stream.ts';
import { createDelivery } from './example-delivery.ts';

interface Entry {
  url: string;
  state: unknown;
}

/** A history of a browser with one entry. `back` and links take effect later, as in a browser. */
export function createHistory(firstUrl: string) {
  const entries: Entry[] = [{ url: new URL(firstUrl, 'http://localhost/').href, state: null }];
  const listeners = new Set<() => void>();
  let index = 0;
  const current = () => entries[index] as Entry;
  const resolve = (url: string) => new URL(url, current().url).href;
  const push = (state: unknown, url: string) => {
    entries.splice(index + 1, Number.POSITIVE_INFINITY, { state, url: resolve(url) });
    index++;
  };
  const arrive = async (move: () => void) => {
    await Promise.resolve();
    move();
    for (const listener of [...listeners]) listener();
  };
  const back = () => arrive(() => void index--);
  vi.stubGlobal('addEventListener', (_: 'popstate', listener: () => void) => listeners.add(listener));
  vi.stubGlobal('removeEventListener', (_: 'popstate', listener: () => void) => listeners.delete(listener));
  vi.stubGlobal('history', {
    get state() {
      return current().state;
    },
    pushState: (state: unknown, _: string, url = current().url) => push(state, url),
    replaceState: (state: unknown, _: string, url = current().url) =>
      Object.assign(current(), { state, url: resolve(url) }),
    back: () => void back(),
  });
  vi.stubGlobal('location', {
    get href() {
      return current().url;
    },
    get hash() {
      return new URL(current().url).hash;
    },
    get search() {
      return new URL(current().url).search;
    },
    get pathname() {
      return new URL(current().url).pathname;
    },
    origin: 'http://localhost',
  });
  return {
    back,
    forward: () => arrive(() => void index++),
    followLink: (hash: string) => arrive(() => push(null, hash)),
    urls: () => entries.map(({ url }) => url.replace('http://localhost', '')),
    position: () => index,
    state: () => current().state,
  };
}

/** Loads the modules of a page that receives the live stream from another tab, and is connected. */
export async function loadPage() {
  const history = createHistory('/#/deliveries');
  let receiveMessage: (message: { readonly data: unknown }) => void = () => {};
  const document = { hidden: true, addEventListener: () => {} };
  vi.stubGlobal('document', document);
  vi.stubGlobal('window', globalThis);
  vi.stubGlobal('navigator', { locks: {} });
  vi.stubGlobal(
    'BroadcastChannel',
    class {
      addEventListener = (_: 'message', listener: typeof receiveMessage) => {
        receiveMessage = listener;
      };
      postMessage = () => {};
    },
  );
  vi.resetModules();
  const { isConnected } = await import('../../src/dashboard/control.ts');
  const { openLiveStream } = await import('../../src/dashboard/live-stream.ts');
  openLiveStream();
  isConnected.value = true;
  return {
    ...history,
    receive: (...items: readonly StreamItem[]) =>
      act(() =>
        receiveMessage({ data: { isConnected: true, store: 'store_1', items, isNewConnection: false } }),
      ),
    setConnected: (isUp: boolean | null) =>
      act(() => {
        isConnected.value = isUp;
      }),
    setHidden: (isHidden: boolean) => {
      document.hidden = isHidden;
    },
  };
}

/** Waits until everything that needs no timer is done. Timers are fake. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets `ms` of the fake timers pass. */
export async function pass(ms: number): Promise<void> {
  await settle();
  await vi.advanceTimersByTimeAsync(ms);
  await settle();
}

export interface Tab {
  /** What the listeners of the tab received: the sequences of each batch, `reset` for a reset, `gap` for one that is only a gap. */
  readonly batches: (number | 'reset' | 'gap')[][];
  /** Null before the first connection. */
  readonly isConnected: () => boolean | null;
  readonly storeId: () => string | null;
  readonly subscribe: (listener: (items: readonly LiveItem[]) => void) => () => void;
  /** Requests data before the stream is open. */
  readonly requestData: () => void;
  readonly setHidden: (isHidden: boolean) => void;
}

/** Opens tabs. Each loads the modules of the page again, and follows the streams that `connections` lists. */
export function createBrowser() {
  const channels = new Set<FakeChannel>();
  const connections: FakeConnection[] = [];
  const locks = createLocks();
  class Channel extends FakeChannel {
    constructor(name: string) {
      super(name, channels);
    }
  }
  vi.stubGlobal('BroadcastChannel', Channel);
  vi.stubGlobal('location', new URL('http://localhost/'));
  vi.stubGlobal('fetch', (url: URL, { signal }: RequestInit) =>
    url.pathname === '/_svc/stream'
      ? new Promise((resolve, reject) =>
          connections.push(new FakeConnection(signal as AbortSignal, resolve, reject)),
        )
      : new Promise(() => {}),
  );

  async function openTab({ isHidden = false, hasLocks = true } = {}): Promise<Tab> {
    const listeners: (() => void)[] = [];
    const show = (hidden: boolean) =>
      vi.stubGlobal('document', {
        hidden,
        addEventListener: (_: 'visibilitychange', listener: () => void) => listeners.push(listener),
      });
    show(isHidden);
    vi.stubGlobal('navigator', hasLocks ? { locks } : {});
    vi.resetModules();
    const { control, isConnected } = await import('../../src/dashboard/control.ts');
    const { openLiveStream, storeId, subscribe } = await import('../../src/dashboard/live-stream.ts');
    const batches: Tab['batches'] = [];
    subscribe((items) =>
      batches.push(
        items.map((item) => (item.type !== 'reset' ? item.sequence : item.isGap ? 'gap' : 'reset')),
      ),
    );
    openLiveStream();
    await settle();
    return {
      batches,
      isConnected: () => isConnected.value,
      storeId: () => storeId.value,
      subscribe,
      requestData: () => void control.getStatus({}),
      setHidden: (hidden) => {
        show(hidden);
        for (const listener of listeners) listener();
      },
    };
  }
  return { connections, openTab };
}

const ULID = '0'.repeat(26);

/** A request for the live stream, which waits for its response. */
export class FakeConnection {
  readonly #signal: AbortSignal;
  readonly #resolve: (response: Response) => void;
  readonly #reject: (error: unknown) => void;
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(signal: AbortSignal, resolve: (response: Response) => void, reject: (error: unknown) => void) {
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener('abort', () => this.lose());
  }

  get isClosed(): boolean {
    return this.#signal.aborted;
  }

  /** Responds with the first message. */
  async open(newest: number, store = 'store_1'): Promise<void> {
    const start = (body: ReadableStreamDefaultController<Uint8Array>) => {
      this.#body = body;
    };
    this.#resolve(new Response(new ReadableStream({ start })));
    await this.#write(`event: ready\nid: ${newest}\ndata: ${JSON.stringify({ store })}\n\n`);
  }

  async send(...items: readonly (number | StreamItem)[]): Promise<void> {
    const [id, event_id, workspace_id, webhook_id] = ['del', 'evt', 'ws', 'wh'].map(
      (kind) => `${kind}_${ULID}`,
    );
    const delivery = { ...createDelivery(), id, event_id, workspace_id, webhook_id };
    for (const item of items) {
      const data = typeof item === 'number' ? { type: 'delivery', sequence: item, delivery } : item;
      await this.#write(`data: ${JSON.stringify(data)}\n\n`);
    }
  }

  async refuse(): Promise<void> {
    this.#resolve(new Response('{"error":{"code":"internal_error","message":"Closing."}}', { status: 500 }));
    await settle();
  }

  /** The connection fails, or is interrupted. */
  async lose(): Promise<void> {
    const error = new TypeError('network error');
    this.#reject(error);
    this.#body?.error(error);
    this.#body = undefined;
    await settle();
  }

  async #write(text: string): Promise<void> {
    this.#body?.enqueue(new TextEncoder().encode(text));
    await settle();
  }
}

type MessageListener = (event: { readonly data: unknown }) => void;

/** As in a browser, a message arrives later, as a copy, and not at its own channel. */
class FakeChannel {
  readonly #listeners: MessageListener[] = [];
  readonly #name: string;
  readonly #channels: Set<FakeChannel>;

  constructor(name: string, channels: Set<FakeChannel>) {
    this.#name = name;
    this.#channels = channels;
    channels.add(this);
  }

  addEventListener(_: 'message', listener: MessageListener): void {
    this.#listeners.push(listener);
  }

  postMessage(message: unknown): void {
    for (const other of this.#channels) {
      if (other === this || other.#name !== this.#name) continue;
      const data = structuredClone(message);
      queueMicrotask(() => {
        for (const listener of other.#listeners) listener({ data });
      });
    }
  }
}

/** Web Locks: one callback at a time holds the lock, and the others wait in order until it ends or they are aborted. */
function createLocks() {
  let previous: Promise<unknown> = Promise.resolve();
  return {
    request(_: string, { signal }: { readonly signal: AbortSignal }, run: () => Promise<void>) {
      const turn = previous.then(() => {
        signal.throwIfAborted();
        return run();
      });
      previous = turn.catch(() => undefined);
      return turn;
    },
  };
}
