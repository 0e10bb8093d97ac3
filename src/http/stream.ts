/** The live stream as server-sent events. `Last-Event-ID` resumes it without loss. */
import { type H3Event, HTTPResponse } from 'h3';
import type { ControlPlane } from '../control/control-plane.ts';
import { SvcError } from '../errors.ts';
import { clearTimeout, setTimeout } from '../timers.ts';
import { queryOf } from './query.ts';
import { controlHeaders } from './respond.ts';

/** A sign of life for proxies and clients when nothing happens. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ': still here\n\n';

export interface StreamServing {
  readonly control: ControlPlane;
  /** Which store it is, and the sequence of the newest thing that happened in it. */
  readonly store: { readonly id: string; readonly visibleSeq: number };
  /** Aborted when the emulator stops: open streams end. */
  readonly closing: AbortSignal;
}

export function streamResponse(event: H3Event, serving: StreamServing, requestId: string): HTTPResponse {
  const gone = new AbortController();
  const { id: store, visibleSeq: newest } = serving.store;
  const ready = `event: ready\nid: ${newest}\ndata: ${JSON.stringify({ store })}\n\n`;
  const stream = serving.control.stream(toInput(event), AbortSignal.any([gone.signal, serving.closing]));
  const items = toMessages(stream);
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<string>> | null = null;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(ready)),
      // Asked for more only when the client has taken what there was: a slow one costs no memory.
      async pull(controller) {
        next ??= items.next();
        const result = await orHeartbeat(next);
        if (result === null) return controller.enqueue(encoder.encode(HEARTBEAT));
        next = null;
        if (result.done) controller.close();
        else controller.enqueue(encoder.encode(result.value));
      },
      cancel: () => gone.abort(),
    },
    { highWaterMark: 1 },
  );
  return new HTTPResponse(body, {
    headers: { 'Content-Type': 'text/event-stream', 'Request-Id': requestId, ...controlHeaders },
  });
}

function toInput(event: H3Event): Record<string, string> {
  const lastEventId = event.req.headers.get('last-event-id');
  if (lastEventId === null) return queryOf(event);
  if (/^\d{1,15}$/.test(lastEventId)) return { ...queryOf(event), since_sequence: lastEventId };
  throw new SvcError('invalid_request', 'Last-Event-ID must be the id of an event of this stream.');
}

async function* toMessages(items: AsyncIterable<{ readonly sequence: number }>): AsyncGenerator<string> {
  for await (const item of items) yield `id: ${item.sequence}\ndata: ${JSON.stringify(item)}\n\n`;
}

/** The next message; null when none came within the time of a heartbeat. */
async function orHeartbeat<Value>(next: Promise<Value>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), HEARTBEAT_MS);
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}
