/**
 * Configurable receivers without HTTP. With the fake timers of {@link useInProcessReceivers}, a test of many seconds takes milliseconds
 * and has the same result on a busy machine. test/receivers/receiver-client.test.ts tests the real client.
 */
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { vi } from 'vitest';
import type {
  DeliveryMessage,
  ReceiverClient,
  ReceiverClientOptions,
  ReceiverResponse,
} from '../../src/receivers/receiver-client.ts';
import * as receiverClient from '../../src/receivers/receiver-client.ts';
import { useFakeTimers } from '../support/fake-timers.ts';
import { replaceExports } from '../support/replace-exports.ts';
import {
  type ConfigurableReceiver,
  type ReceiverCore,
  type ReceiverParts,
  sleep,
  startReceiver,
} from './configurable-receiver.ts';

/** Deliveries go to receivers in this process, in virtual time. */
export function useInProcessReceivers(): void {
  replaceExports(receiverClient, { createReceiverClient: createInProcessClient });
  useVirtualTime();
}

/** Time is that of timers, and passes only when nothing else can run. */
export function useVirtualTime(): void {
  useFakeTimers({
    // Just before another second, which changes the timestamp and so the signature. Not at the start of a minute, which is a check.
    now: Date.parse('2026-01-15T12:00:10.990Z'),
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
  });
  vi.setTimerTickMode('nextTimerAsync');
}

/** The connections and the handler of a receiver, which is down without them. */
interface Listener {
  readonly core: ReceiverCore;
  readonly connections: Set<Connection>;
}

const listeners = new Map<number, Listener>();
// Not 80, which a URL leaves out.
let lastPort = 10_000;

/** As `startConfigurableReceiver`, for the client of {@link createInProcessClient}. */
export function startInProcessReceiver(changes: Partial<ReceiverParts> = {}): Promise<ConfigurableReceiver> {
  return startReceiver(changes, async (core) => {
    const port = ++lastPort;
    const start = async () => void listeners.set(port, { core, connections: new Set() });
    await start();
    return {
      port,
      start,
      async stop() {
        for (const connection of listeners.get(port)?.connections ?? []) connection.destroy();
        listeners.delete(port);
      },
    };
  });
}

/** Starts a receiver whose work takes long enough to send a repeat during it. */
export function startCheckedReceiver(changes: Partial<ReceiverParts> = {}): Promise<ConfigurableReceiver> {
  return startInProcessReceiver({ work: () => sleep(100), ...changes });
}

/** The socket of a receiver. Emits `close`. */
class Connection extends EventEmitter {
  readonly #listener: Listener;
  destroyed = false;

  constructor(listener: Listener) {
    super();
    // Any number of requests can use a connection.
    this.setMaxListeners(0);
    this.#listener = listener;
    listener.connections.add(this);
  }

  get core(): ReceiverCore {
    return this.#listener.core;
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.#listener.connections.delete(this);
    this.emit('close');
  }
}

/** Of each request. Without it, any number of deliveries would take no time. */
const LATENCY_MS = 1;
/** The times of the real client. */
const SLOW_BODY_MS = 40;
const CUT_AFTER_MS = 15;

/** Replaces `createReceiverClient`. */
function createInProcessClient({ url, signal }: ReceiverClientOptions): ReceiverClient {
  const port = Number(new URL(url).port);
  const freeConnections: Connection[] = [];

  function connect({ keepsConnection }: DeliveryMessage): Connection | null {
    const free = keepsConnection ? freeConnections.pop() : undefined;
    if (free !== undefined && !free.destroyed) return free;
    const listener = listeners.get(port);
    return listener === undefined ? null : new Connection(listener);
  }

  async function send(message: DeliveryMessage, timeoutMs: number): Promise<ReceiverResponse> {
    const startedAt = performance.now();
    const getElapsedMs = () => Math.round(performance.now() - startedAt);
    const fail = (failure: NonNullable<ReceiverResponse['failure']>, problem: string): ReceiverResponse => {
      connection?.destroy();
      return { status: null, problem, failure, durationMs: getElapsedMs() };
    };
    const connection = connect(message);
    if (connection === null)
      return fail('connection', 'connection refused by 127.0.0.1: nothing is listening there');
    const stream = Object.assign(new PassThrough(), {
      headers: toIncomingHeaders(message),
      rawHeaders: Object.entries(message.headers).flatMap(([name, values]) => [name, String(values)]),
      socket: connection,
    });
    await sleep(LATENCY_MS);
    const disconnected = new Promise<null>((resolve) => connection.once('close', () => resolve(null)));
    void disconnected.then(() => stream.destroy(new Error('aborted')));
    stream.on('error', () => {});
    const responding = connection.core.respond(stream as unknown as IncomingMessage).catch(() => 500);
    const body = Buffer.from(message.body);
    const half = body.subarray(0, body.length >> 1);
    if (message.failure === 'cut-request') {
      stream.write(half);
      await sleep(CUT_AFTER_MS);
      return fail('cut', 'request cut off');
    }
    if (message.hasSlowBody) {
      stream.write(half);
      await sleep(SLOW_BODY_MS);
      stream.end(body.subarray(half.length));
    } else stream.end(body);
    if (message.failure === 'lost-response') {
      await Promise.race([sleep(CUT_AFTER_MS), responding]);
      return fail('cut', 'response lost');
    }
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<'timeout'>((resolve) => {
      timer = setTimeout(() => resolve('timeout'), timeoutMs);
    });
    const aborted = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null)));
    const status = await Promise.race([responding, disconnected, timeout, aborted]);
    clearTimeout(timer);
    if (status === 'timeout') return fail('timeout', `no response within ${timeoutMs}ms`);
    if (status === null) return fail('connection', 'connection closed without a response');
    if (message.keepsConnection) freeConnections.push(connection);
    else connection.destroy();
    const now = Date.now() + connection.core.parts.clockDifferenceMs;
    const serverTimeMs = now - (now % 1000);
    const durationMs = getElapsedMs();
    return { status, problem: null, failure: null, durationMs, serverTimeMs };
  }

  return {
    send,
    closeConnections() {
      for (const connection of freeConnections.splice(0)) connection.destroy();
    },
  };
}

/** As Node.js joins headers that are sent several times. */
function toIncomingHeaders({ headers, keepsConnection }: DeliveryMessage): Record<string, string> {
  const entries = Object.entries(headers).map(([name, values]) => [
    name.toLowerCase(),
    typeof values === 'string' ? values : values.join(', '),
  ]);
  return { ...Object.fromEntries(entries), connection: keepsConnection ? 'keep-alive' : 'close' };
}
