/** The client side of the live stream: server-sent events that go on across lost connections, each item once. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { StreamItem } from '../contract/resources.ts';
import { SvcError } from '../errors.ts';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

export interface LiveStream extends AsyncIterable<StreamItem> {
  /** Resolves once the server has confirmed the stream: nothing that happens after this is missed. */
  readonly ready: Promise<void>;
}

export interface StreamSource {
  /** Opens a connection that goes on after the sequence `after`; undefined is "from now on". */
  connect(after: number | undefined): Promise<IncomingMessage>;
  readonly after: number | undefined;
  /** Whether the stream, without `after`, starts at some time in the past instead of now. */
  readonly startsInPast: boolean;
  readonly signal: AbortSignal;
  /** Called when a connection that had stood is lost, before the next one is tried. */
  readonly onLost?: (() => void) | undefined;
}

/**
 * Starts to follow a stream at once. A first connection that fails is an error; later ones are tried again and again,
 * after pauses that grow to five seconds, until the signal is aborted. That ends the iteration without an error.
 */
export function followStream(source: StreamSource): LiveStream {
  let confirm: () => void = () => {};
  const confirmed = new Promise<void>((resolve) => {
    confirm = resolve;
  });
  const items = follow(source, confirm);
  // Asking for the first item is what opens the connection.
  let first: Promise<IteratorResult<StreamItem>> | null = items.next();
  const ready = Promise.race([confirmed, first.then(() => undefined)]);
  // A failure also reaches whoever iterates; nobody has to look at both.
  ready.catch(() => undefined);
  return {
    ready,
    [Symbol.asyncIterator]: () => ({
      next() {
        const result = first ?? items.next();
        first = null;
        return result;
      },
      return: () => items.return(undefined),
    }),
  };
}

async function* follow(source: StreamSource, confirm: () => void): AsyncGenerator<StreamItem, undefined> {
  const { signal, onLost } = source;
  let last = source.after;
  let stood = false;
  let failures = 0;
  while (!signal.aborted) {
    const response = await connectUnlessDown(source, last, stood);
    for await (const message of response === null ? [] : readMessages(response)) {
      stood = true;
      failures = 0;
      confirm();
      if (message.event === READY) {
        const newest = Number(message.id);
        // A server that has started afresh counts from the beginning.
        if (last !== undefined && newest < last) {
          last = 0;
          break;
        }
        if (!source.startsInPast) last ??= newest;
      } else if (message.data !== '') {
        const item = JSON.parse(message.data) as StreamItem;
        if (last !== undefined && item.sequence <= last) continue;
        last = item.sequence;
        yield item;
      }
    }
    if (response !== null && !signal.aborted) onLost?.();
    await pauseBefore(failures++, signal);
  }
}

/** The message that confirms a connection. Its id is the sequence of the newest thing that has happened. */
const READY = 'ready';

async function connectUnlessDown(
  source: StreamSource,
  last: number | undefined,
  stood: boolean,
): Promise<IncomingMessage | null> {
  try {
    return await source.connect(last);
  } catch (error) {
    if (source.signal.aborted || (stood && error instanceof SvcError && error.code === 'no_emulator'))
      return null;
    throw error;
  }
}

/** The messages of one connection, comments as messages without data. Ends when the connection does, however it does. */
async function* readMessages(response: IncomingMessage): AsyncGenerator<EventSourceMessage> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (message) => messages.push(message),
    onComment: () => messages.push({ data: '' }),
  });
  response.setEncoding('utf8');
  try {
    for await (const chunk of response) {
      parser.feed(chunk as string);
      yield* messages.splice(0);
    }
  } catch {
    // A connection that breaks off ends like one that is closed: the next one resumes after the last item.
  }
}

async function pauseBefore(failures: number, signal: AbortSignal): Promise<void> {
  const ms = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
  await pause(ms, undefined, { signal }).catch(() => undefined);
}
