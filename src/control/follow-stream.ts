/** The client of the live stream: it reconnects after a lost connection and yields each item once. */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import * as v from 'valibot';
import { StreamItem } from '../contract/stream-schemas.ts';
import { SvcError } from '../errors.ts';
import { clearTimeout, setTimeout } from '../timers.ts';
import type { LiveStream } from './control-plane.ts';
import { notAnEmulator, parseResponse, RESPONSE_LIMIT_BYTES } from './parse-response.ts';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;

export interface StreamSource {
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
  /** Called when the stream is connected again. */
  readonly onReconnect?: (() => void) | undefined;
}

/**
 * Follows a stream. If the first connection fails, that is an error. Later ones are retried after pauses of up to five
 * seconds until the signal is aborted, which ends the iteration without an error. To stop the iteration closes the connection.
 */
export function followStream(source: StreamSource): LiveStream {
  let confirm: () => void = () => {};
  const confirmed = new Promise<void>((resolve) => {
    confirm = resolve;
  });
  const leaving = new AbortController();
  const signal = AbortSignal.any([source.signal, leaving.signal]);
  const items = follow({ ...source, signal }, confirm);
  // The request for the first item opens the connection.
  let first: Promise<IteratorResult<StreamItem>> | null = items.next();
  const ready = Promise.race([confirmed, first.then(() => undefined)]);
  // The iteration fails with the same error, so nobody has to handle both.
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
        leaving.abort();
        return items.return(undefined);
      },
    }),
  };
}

async function* follow(source: StreamSource, confirm: () => void): AsyncGenerator<StreamItem, undefined> {
  const { signal, onDisconnect, onReconnect } = source;
  let last = source.after;
  let store: string | null = null;
  let isLost = false;
  let failures = 0;
  while (!signal.aborted) {
    const response = await connectOrNull(source, last, store !== null);
    let isMoved = false;
    for await (const message of response === null ? [] : readMessages(response, source.address)) {
      if (message.event === READY) {
        confirm();
        if (isLost) onReconnect?.();
        isLost = false;
        failures = 0;
        const streamPosition = readPosition(message, source.address);
        const goOn =
          store === null || store === streamPosition.store ? Math.min(last ?? 0, streamPosition.newest) : 0;
        store = streamPosition.store;
        isMoved = last !== undefined && goOn !== last;
        if (isMoved) {
          last = goOn;
          break;
        }
        if (!source.startsInPast) last ??= streamPosition.newest;
      } else if (message.data !== '') {
        const item = parseResponse(StreamItem, message.data, source.address);
        if (last !== undefined && item.sequence <= last) continue;
        last = item.sequence;
        yield item;
      }
    }
    if (isMoved || signal.aborted) continue;
    if (store === null && last === source.after)
      throw notAnEmulator(source.address, 'the stream ended before it began');
    if (!isLost) onDisconnect?.();
    isLost = true;
    await pauseBefore(failures++, signal);
  }
}

/** The message that confirms a connection. */
const READY = 'ready';

/** The current position of the server. */
interface StreamPosition {
  /** Id of the store. Sequences of another store mean something else. */
  readonly store: string;
  /**
   * The newest sequence. It can be before the last item that was seen: a sequence that an earlier process could not commit is
   * used again.
   */
  readonly newest: number;
}

function readPosition({ id, data }: EventSourceMessage, address: string): StreamPosition {
  const { store } = parseResponse(v.object({ store: v.string() }), data, address);
  const newest = Number(id);
  if (!Number.isSafeInteger(newest)) throw notAnEmulator(address, 'the stream has no sequence');
  return { store, newest };
}

async function connectOrNull(
  source: StreamSource,
  last: number | undefined,
  stood: boolean,
): Promise<AsyncIterable<string> | null> {
  try {
    return await source.connect(last, source.signal);
  } catch (error) {
    if (source.signal.aborted || (stood && error instanceof SvcError && error.code === 'no_emulator'))
      return null;
    throw error;
  }
}

/** The messages of one connection, with comments as messages without data. Ends with the connection, also after an error. */
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
      if (length > RESPONSE_LIMIT_BYTES) throw notAnEmulator(address, 'a message of the stream is too large');
      yield* messages.splice(0);
    }
  } catch (error) {
    if (error instanceof SvcError) throw error;
    // After an interrupted connection, the next one resumes after the last item.
  }
}

function pauseBefore(failures: number, signal: AbortSignal): Promise<void> {
  const ms = Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS);
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
