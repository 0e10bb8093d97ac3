/** The client of the live stream: it reconnects after a lost connection and yields each item once. */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import * as v from 'valibot';
import { SvcError } from '../domain/errors.ts';
import type { LiveStream } from '../operations/control-plane.ts';
import { StreamItem } from '../operations/stream-schemas.ts';
import { abortAtEnd, createLinkedController } from '../platform/abort-signals.ts';
import { sleep } from '../platform/timers.ts';
import { createWrongServerError, parseResponse, RESPONSE_LIMIT_BYTES } from './parse-response.ts';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;

interface StreamSource {
  /** URL of the stream, for messages. */
  readonly address: string;
  /** Opens a connection that continues after the sequence `after` (undefined: from now on). Resolves to its text. */
  connect(after: number | undefined, signal: AbortSignal): Promise<AsyncIterable<string>>;
  readonly after: number | undefined;
  /** Whether the stream starts in the past if `after` is undefined. */
  readonly startsInPast: boolean;
  readonly signal: AbortSignal;
  /** Called when a connection is lost, before the next attempt. */
  readonly onDisconnect?: (() => void) | undefined;
  readonly onReconnect?: (() => void) | undefined;
  /** Called with the position of the server when the stream is connected, before the first item of the connection. */
  readonly onReady?: ((position: StreamPosition) => void) | undefined;
}

/**
 * Follows a stream. If the first connection fails, that is an error. Later ones are retried after pauses of up to five
 * seconds until the signal is aborted, which ends the iteration without an error. Stopping the iteration closes the connection.
 */
export function followStream(source: StreamSource): LiveStream {
  let confirmConnected: () => void = () => {};
  const connected = new Promise<void>((resolve) => {
    confirmConnected = resolve;
  });
  const stopped = createLinkedController([source.signal]);
  const items = abortAtEnd(follow({ ...source, signal: stopped.signal }, confirmConnected), stopped);
  // The request for the first item opens the connection.
  let first: Promise<IteratorResult<StreamItem>> | null = items.next();
  const ready = Promise.race([connected, first.then(() => undefined)]);
  // The iteration fails with the same error, so a caller that does not wait for `ready` needs no handler here.
  ready.catch(() => undefined);
  return {
    ready,
    [Symbol.asyncIterator]: () => ({
      next() {
        const result = first ?? items.next();
        first = null;
        return result;
      },
      return() {
        stopped.abort();
        return items.return(undefined);
      },
    }),
  };
}

async function* follow(source: StreamSource, onConnect: () => void): AsyncGenerator<StreamItem, undefined> {
  const { signal, onDisconnect, onReconnect, onReady } = source;
  let lastSequence = source.after;
  let storeId: string | null = null;
  let isLost = false;
  let failures = 0;
  while (!signal.aborted) {
    const response = await connectOrNull(source, lastSequence, storeId !== null);
    let mustReconnect = false;
    for await (const message of response === null ? [] : readMessages(response, source.address)) {
      if (message.event === READY) {
        onConnect();
        if (isLost) onReconnect?.();
        isLost = false;
        failures = 0;
        const streamPosition = readPosition(message, source.address);
        onReady?.(streamPosition);
        if (signal.aborted) break;
        // The connection continues after `lastSequence`. The server does not know that sequence if it has another store, or if an
        // earlier process could not commit it. Then connect again, after a sequence that the server knows.
        const resumeAfter =
          storeId === null || storeId === streamPosition.store
            ? Math.min(lastSequence ?? 0, streamPosition.newest)
            : 0;
        storeId = streamPosition.store;
        mustReconnect = lastSequence !== undefined && resumeAfter !== lastSequence;
        if (mustReconnect) {
          lastSequence = resumeAfter;
          break;
        }
        if (!source.startsInPast) lastSequence ??= streamPosition.newest;
      } else if (message.data !== '') {
        const item = parseResponse(StreamItem, message.data, source.address);
        if (lastSequence !== undefined && item.sequence <= lastSequence) continue;
        lastSequence = item.sequence;
        yield item;
      }
    }
    if (mustReconnect || signal.aborted) continue;
    if (storeId === null)
      throw createWrongServerError(source.address, 'the stream ended without its first message');
    if (!isLost) onDisconnect?.();
    isLost = true;
    await sleep(Math.min(FIRST_PAUSE_MS * 2 ** failures++, MAX_PAUSE_MS), signal);
  }
}

/** The message that confirms a connection. */
const READY = 'ready';

export interface StreamPosition {
  /** ID of the store. Sequences of another store mean something else. */
  readonly store: string;
  /**
   * The newest sequence. It can be before the last item that was seen: a sequence that an earlier process could not commit is
   * used again.
   */
  readonly newest: number;
}

const Ready = v.object({ store: v.string(), sequence: v.number() });

function readPosition({ data }: EventSourceMessage, address: string): StreamPosition {
  const { store, sequence } = parseResponse(Ready, data, address);
  return { store, newest: sequence };
}

async function connectOrNull(
  source: StreamSource,
  lastSequence: number | undefined,
  wasConnected: boolean,
): Promise<AsyncIterable<string> | null> {
  try {
    return await source.connect(lastSequence, source.signal);
  } catch (error) {
    if (source.signal.aborted || (wasConnected && error instanceof SvcError && error.code === 'no_emulator'))
      return null;
    throw error;
  }
}

/** The messages of one connection, with comments as messages without data. Ends when the connection ends or fails. */
async function* readMessages(
  response: AsyncIterable<string>,
  address: string,
): AsyncGenerator<EventSourceMessage> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (message) => messages.push(message),
    onComment: () => messages.push({ data: '' }),
  });
  try {
    let length = 0;
    for await (const chunk of response) {
      parser.feed(chunk);
      length = messages.length > 0 ? 0 : length + chunk.length;
      if (length > RESPONSE_LIMIT_BYTES)
        throw createWrongServerError(address, 'a message of the stream is too large');
      yield* messages.splice(0);
    }
  } catch (error) {
    if (error instanceof SvcError) throw error;
    // The connection was interrupted. The next one resumes after the last item.
  }
}
