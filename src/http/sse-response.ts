/** Sends the live stream as server-sent events. `Last-Event-ID` resumes it without loss. */
import { type H3Event, HTTPResponse } from 'h3';
import type { ControlPlane } from '../contract/control-plane.ts';
import { SvcError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import { clearTimeout, createLinkedController, setTimeout } from '../timers.ts';
import { quoteHeader, readQuery } from './read-request.ts';
import { controlHeaders } from './responses.ts';

/** Keeps idle connections open in proxies and clients. */
const HEARTBEAT_MS = 15_000;
const encoder = new TextEncoder();
const HEARTBEAT = encoder.encode(': still here\n\n');

export interface SseOptions {
  readonly control: ControlPlane;
  readonly store: Pick<Store, 'id' | 'lastSeq'>;
  /** Aborted when the emulator stops: open streams end. */
  readonly closing: AbortSignal;
}

export function sseResponse(event: H3Event, options: SseOptions, requestId: string): HTTPResponse {
  const disconnected = new AbortController();
  const { control, store, closing } = options;
  const ready = `event: ready\nid: ${store.lastSeq}\ndata: ${JSON.stringify({ store: store.id })}\n\n`;
  const { signal } = createLinkedController([disconnected.signal, closing]);
  const items = toMessages(control.stream(readStreamInput(event), signal));
  let next: Promise<IteratorResult<Uint8Array>> | null = null;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(ready)),
      // Called when the client has read everything, so that a slow client needs no memory.
      async pull(controller) {
        next ??= items.next();
        const result = await nextOrHeartbeat(next).catch((error) => {
          disconnected.abort();
          throw error;
        });
        if (disconnected.signal.aborted) return;
        if (result === null) return controller.enqueue(HEARTBEAT);
        next = null;
        if (!result.done) return controller.enqueue(result.value);
        disconnected.abort();
        controller.close();
      },
      cancel: () => disconnected.abort(),
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
