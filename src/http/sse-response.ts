/** Sends the live stream as server-sent events. `Last-Event-ID` resumes it without loss. */
import { type H3Event, HTTPResponse } from 'h3';
import type { ControlPlane } from '../contract/control-plane.ts';
import { SvcError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import { clearTimeout, createLinkedController, setTimeout } from '../timers.ts';
import { quoteHeader, readQuery } from './read-request.ts';
import { controlHeaders } from './responses.ts';

/** Number of sequences after which a client that does not read is disconnected. It resumes with `Last-Event-ID`. */
export const MAX_LAG = 20_000;
/** Keeps idle connections open in proxies and clients. */
const HEARTBEAT_MS = 15_000;
const encoder = new TextEncoder();
const HEARTBEAT = encoder.encode(': still here\n\n');

export interface SseOptions {
  readonly control: ControlPlane;
  readonly store: Pick<Store, 'id' | 'lastSeq' | 'subscribe'>;
  /** Aborted when the emulator stops: open streams end. */
  readonly closing: AbortSignal;
}

export function sseResponse(event: H3Event, options: SseOptions, requestId: string): HTTPResponse {
  const disconnected = new AbortController();
  const { store } = options;
  const newest = store.lastSeq;
  const ready = `event: ready\nid: ${newest}\ndata: ${JSON.stringify({ store: store.id })}\n\n`;
  const { signal } = createLinkedController([disconnected.signal, options.closing]);
  const items = toMessages(options.control.stream(readStreamInput(event), signal));
  let next: Promise<IteratorResult<Uint8Array>> | null = null;
  // The newest sequence when the last message was written; null once the client has read that message.
  let writtenAtSeq: number | null = newest;
  const unsubscribe = store.subscribe(() => {
    if (writtenAtSeq === null || store.lastSeq - writtenAtSeq <= MAX_LAG) return;
    end();
    drop();
  });
  const end = () => {
    unsubscribe();
    disconnected.abort();
  };
  /** Closes the connection without an end of the stream, so that the client resumes. */
  let drop = () => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(ready));
        const response = event.runtime?.node?.res;
        drop = () =>
          response ? response.destroy() : controller.error(new Error('The client does not read.'));
      },
      // Called when the client has read everything, so that a slow client needs no memory.
      async pull(controller) {
        writtenAtSeq = null;
        next ??= items.next();
        const result = await nextOrHeartbeat(next).catch((error) => {
          end();
          throw error;
        });
        if (disconnected.signal.aborted) return;
        writtenAtSeq = store.lastSeq;
        if (result === null) return controller.enqueue(HEARTBEAT);
        next = null;
        if (!result.done) return controller.enqueue(result.value);
        end();
        controller.close();
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
  return new HTTPResponse(body, {
    headers: { 'Content-Type': 'text/event-stream', 'Request-Id': requestId, ...controlHeaders },
  });
}

function readStreamInput(event: H3Event): Record<string, string> {
  const lastEventId = event.req.headers.get('last-event-id');
  if (lastEventId === null) return readQuery(event);
  // A number with 15 digits is always exact.
  if (/^\d{1,15}$/.test(lastEventId)) return { ...readQuery(event), since_sequence: lastEventId };
  throw new SvcError(
    'invalid_request',
    `Last-Event-ID must be the ID of a message of this stream, not ${quoteHeader(lastEventId)}.`,
  );
}

/** The message of each item. All clients receive the same object, so each item is serialized once. */
const serializedItems = new WeakMap<object, Uint8Array>();

async function* toMessages(items: AsyncIterable<{ readonly sequence: number }>): AsyncGenerator<Uint8Array> {
  for await (const item of items) {
    const cached = serializedItems.get(item);
    const message = cached ?? encoder.encode(`id: ${item.sequence}\ndata: ${JSON.stringify(item)}\n\n`);
    if (cached === undefined) serializedItems.set(item, message);
    yield message;
  }
}

/** The next message; null after the heartbeat interval. */
async function nextOrHeartbeat<Value>(next: Promise<Value>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const heartbeat = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), HEARTBEAT_MS);
  });
  try {
    return await Promise.race([next, heartbeat]);
  } finally {
    clearTimeout(timer);
  }
}
