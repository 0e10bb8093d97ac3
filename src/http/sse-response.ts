/** Sends the live stream as server-sent events. `Last-Event-ID` resumes it without loss. */
import { ReadableStream } from 'node:stream/web';
import { type H3Event, HTTPResponse } from 'h3';
import { SvcError } from '../domain/errors.ts';
import type { ControlPlane } from '../operations/control-plane.ts';
import type { StreamItem } from '../operations/stream-schemas.ts';
import { abortAtEnd, createLinkedController } from '../platform/abort-signals.ts';
import { clearTimeout, setTimeout } from '../platform/timers.ts';
import type { Store } from '../store/store.ts';
import { createDisconnectSignal } from './disconnect-signal.ts';
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

export function sseResponse(
  event: H3Event,
  { control, store, closing }: SseOptions,
  requestId: string,
): HTTPResponse {
  const ended = createLinkedController([createDisconnectSignal(event), closing]);
  const input = readStreamInput(event);
  const sequence = store.lastSeq;
  // Older items follow if the client chose the start. With an ID, it would resume after them if the connection is lost.
  const id = (input.since_sequence ?? input.since) === undefined ? `id: ${sequence}\n` : '';
  const ready = `event: ready\n${id}data: ${JSON.stringify({ store: store.id, sequence })}\n\n`;
  const items = control.stream(input, ended.signal);
  // The next message is read when the connection can take more data, so a slow client buffers little.
  const body = ReadableStream.from(abortAtEnd(toMessages(ready, items), ended));
  // The types of a stream in Node.js and in a browser differ.
  return new HTTPResponse(body as unknown as Response['body'], {
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

async function* toMessages(ready: string, items: AsyncIterable<StreamItem>): AsyncGenerator<Uint8Array> {
  yield encoder.encode(ready);
  const iterator = items[Symbol.asyncIterator]();
  let next = iterator.next();
  for (;;) {
    const result = await nextOrHeartbeat(next);
    if (result?.done) return;
    yield result === null ? HEARTBEAT : serialize(result.value);
    if (result !== null) next = iterator.next();
  }
}

function serialize(item: StreamItem): Uint8Array {
  return encoder.encode(`id: ${item.sequence}\ndata: ${JSON.stringify(item)}\n\n`);
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
