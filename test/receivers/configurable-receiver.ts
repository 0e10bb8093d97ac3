/** A correct receiver that lists its side effects, whose parts can be replaced by defective ones. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { MINUTE_MS } from '../../src/domain/duration.ts';
import type { SideEffectReading } from '../../src/receivers/side-effect-reader.ts';
import { listen } from '../support/local-server.ts';

export const SECRET = 'whsec_c3ZjLXJlY2VpdmVyLXNlY3JldA';
export const API_KEY = 'svc_test_c3ZjLWNoZWNrLWtleQ';

const TOLERANCE_MS = 5 * MINUTE_MS;

export interface ReceivedEvent {
  readonly type: string;
  readonly created_at: string;
  readonly data: { readonly id: string; readonly payload: Record<string, unknown> };
}

export interface Receiving {
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
  /** Names and values as they were sent. */
  readonly rawHeaders: readonly string[];
  /** The number of requests so far, this one included. */
  readonly requestNumber: number;
  /** Whether the sender still waits for the response. */
  readonly isConnected: () => boolean;
}

export interface ReceiverState {
  /** The stored keys. */
  readonly seen: Set<string>;
  /** The ID of the event of each side effect. */
  readonly sideEffects: string[];
  /** Stops the receiver until it is restarted, as a crash of its process does. */
  crash(): void;
}

/** The parts of a receiver. Each defect replaces some of them. */
export interface ReceiverParts {
  readBody(request: IncomingMessage): Promise<Buffer>;
  /** Runs before the verification. */
  beforeVerifying(receiving: Receiving, state: ReceiverState): void | Promise<void>;
  isAuthentic(receiving: Receiving, parts: ReceiverParts): boolean;
  /** The secrets with which a delivery can be signed. */
  readonly keys: readonly string[];
  /** @param ageMs negative for a timestamp in the future, NaN for one that is not a time */
  isRecent(ageMs: number): boolean;
  /** The form of the body that is verified. */
  toVerified(body: Buffer): Buffer | string;
  matches(signature: string, expected: string): boolean;
  readonly rejectionStatus: number;
  parse(body: string): ReceivedEvent;
  /** The status for an authentic event that is not processed; null to process it. */
  refuse(event: ReceivedEvent, receiving: Receiving): number | null | Promise<number | null>;
  /** The deduplication key. */
  getKey(event: ReceivedEvent, receiving: Receiving): string;
  /** @returns whether the key is new */
  storeKey(key: string, seen: Set<string>, receiving: Receiving): boolean | Promise<boolean>;
  /** The status of the response to a repeat. `isWorking`: the event is still being processed. */
  getRepeatStatus(isWorking: boolean): number;
  /** Resolves when the work is done, just before its side effect. */
  work(): Promise<void>;
  readonly respondsAfterWork: boolean;
  /** Whether the work has a side effect. */
  hasSideEffect(event: ReceivedEvent, state: Pick<ReceiverState, 'sideEffects'>): boolean | Promise<boolean>;
  /** How far its clock, which the header Date shows, is ahead. */
  readonly clockDifferenceMs: number;
  /** Whether a restart deletes the stored keys. */
  readonly forgetsOnRestart: boolean;
  onRestart(): void;
}

export const correctParts: ReceiverParts = {
  readBody: buffer,
  beforeVerifying: () => {},
  isAuthentic({ body, headers }, parts) {
    const timestamp = String(headers['service-timestamp'] ?? '');
    const signatures = String(headers['service-signature'] ?? '').split(',');
    const verified = parts.toVerified(body);
    return (
      parts.isRecent(Date.now() + parts.clockDifferenceMs - Date.parse(timestamp)) &&
      parts.keys.some((key) => {
        const digest = createHmac('sha256', key).update(`${timestamp}.`).update(verified).digest('hex');
        return signatures.some((signature) => parts.matches(signature, `v1=${digest}`));
      })
    );
  },
  keys: [SECRET],
  isRecent: (ageMs) => Math.abs(ageMs) <= TOLERANCE_MS,
  toVerified: (body) => body,
  matches(signature, expected) {
    // The lengths of the bytes: a character outside ASCII has several.
    const [received, computed] = [Buffer.from(signature), Buffer.from(expected)];
    return received.length === computed.length && timingSafeEqual(received, computed);
  },
  rejectionStatus: 400,
  parse: JSON.parse,
  refuse: () => null,
  getKey: ({ data }) => data.id,
  storeKey,
  getRepeatStatus: () => 204,
  work: async () => {},
  respondsAfterWork: false,
  hasSideEffect: () => true,
  clockDifferenceMs: 0,
  forgetsOnRestart: false,
  onRestart: () => {},
};

/** Uses the current global timer, so that fake timers apply. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

/** Stores a key. @returns whether it is new */
export function storeKey(key: string, seen: Set<string>): boolean {
  const isNew = !seen.has(key);
  seen.add(key);
  return isNew;
}

/** Works on one event after the other. */
export function workInOrder(workMs: number): ReceiverParts['work'] {
  let latest = Promise.resolve();
  return () => {
    latest = latest.then(() => sleep(workMs));
    return latest;
  };
}

export interface ConfigurableReceiver extends AsyncDisposable {
  readonly url: string;
  /** Returns the side effects, for `--observe`. */
  readonly sideEffectsUrl: string;
  readonly readSideEffects: () => Promise<SideEffectReading>;
  /** As {@link readSideEffects}, without IDs. */
  readonly readSideEffectCount: () => Promise<SideEffectReading>;
  readonly countSideEffects: () => Promise<number>;
  readonly countDeliveries: () => number;
  /** Closes all connections and starts to listen again. */
  readonly restart: () => Promise<void>;
}

/** How the requests reach the receiver. */
export interface ReceiverTransport {
  readonly port: number;
  start(): Promise<void>;
  /** Closes all connections. */
  stop(): Promise<void>;
}

/** What a transport calls. */
export interface ReceiverCore {
  readonly parts: ReceiverParts;
  readonly sideEffects: readonly string[];
  /** @returns the status of the response. Throws where the receiver has an error. */
  respond(request: IncomingMessage): Promise<number>;
}

/** Starts the receiver on a free port. */
export function startConfigurableReceiver(
  changes: Partial<ReceiverParts> = {},
): Promise<ConfigurableReceiver> {
  return startReceiver(changes, startServer);
}

/** Starts the receiver with a transport. */
export async function startReceiver(
  changes: Partial<ReceiverParts>,
  startTransport: (core: ReceiverCore) => Promise<ReceiverTransport>,
): Promise<ConfigurableReceiver> {
  const parts: ReceiverParts = { ...correctParts, ...changes };
  const seen = new Set<string>();
  const workingKeys = new Set<string>();
  const sideEffects: string[] = [];
  let requestNumber = 0;
  let isRunning = true;

  async function process(event: ReceivedEvent, key: string): Promise<void> {
    workingKeys.add(key);
    await parts.work();
    workingKeys.delete(key);
    if (await parts.hasSideEffect(event, { sideEffects })) sideEffects.push(event.data.id);
  }

  async function receive(receiving: Receiving): Promise<number> {
    await parts.beforeVerifying(receiving, { seen, sideEffects, crash });
    if (!parts.isAuthentic(receiving, parts)) return parts.rejectionStatus;
    const event = parts.parse(receiving.body.toString());
    const refusal = await parts.refuse(event, receiving);
    if (refusal !== null) return refusal;
    const key = parts.getKey(event, receiving);
    if (!(await parts.storeKey(key, seen, receiving))) return parts.getRepeatStatus(workingKeys.has(key));
    const processing = process(event, key);
    if (parts.respondsAfterWork) await processing;
    return 204;
  }

  async function respond(request: IncomingMessage): Promise<number> {
    const { headers, rawHeaders, socket } = request;
    const isConnected = () => !socket.destroyed;
    const body = await parts.readBody(request);
    return receive({ body, headers, rawHeaders, isConnected, requestNumber: ++requestNumber });
  }

  const transport = await startTransport({ parts, sideEffects, respond });
  const crash = () => {
    isRunning = false;
    void transport.stop();
  };
  const readSideEffects = async (): Promise<SideEffectReading> => {
    if (!isRunning) throw new Error('connection refused');
    return { count: sideEffects.length, ids: [...sideEffects] };
  };
  return {
    url: `http://127.0.0.1:${transport.port}/webhooks`,
    sideEffectsUrl: `http://127.0.0.1:${transport.port}/side-effects`,
    readSideEffects,
    readSideEffectCount: async () => ({ ...(await readSideEffects()), ids: null }),
    countSideEffects: async () => (await readSideEffects()).count,
    countDeliveries: () => requestNumber,
    async restart() {
      if (isRunning) await transport.stop();
      isRunning = true;
      if (parts.forgetsOnRestart) seen.clear();
      parts.onRestart();
      await transport.start();
    },
    [Symbol.asyncDispose]: async () => void (isRunning && (await transport.stop())),
  };
}

async function startServer({ parts, sideEffects, respond }: ReceiverCore): Promise<ReceiverTransport> {
  const create = (): Server =>
    createServer((request, response) => {
      if (request.method === 'GET') return void response.end(JSON.stringify({ ids: sideEffects }));
      respond(request)
        .then((status) => {
          response.setHeader('Date', new Date(Date.now() + parts.clockDifferenceMs).toUTCString());
          response.writeHead(status).end();
        })
        // A request that was cut off has no response.
        .catch(() => response.destroyed || response.writeHead(500).end());
    });
  let server = create();
  const port = await listen(server);
  return {
    port,
    async start() {
      server = create();
      await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
    },
    stop() {
      server.closeAllConnections();
      return new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}
