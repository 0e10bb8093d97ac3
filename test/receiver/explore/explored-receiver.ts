/** A correct receiver that lists its effects, whose parts can be replaced by defective ones. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EffectReading } from '../../../src/receiver/effect-observer.ts';
import { listen } from '../../support/local-server.ts';

export const SECRET = 'whsec_c3ZjLWV4cGxvcmUtc2VjcmV0';
const TOLERANCE_MS = 300_000;

export interface ReceivedEvent {
  readonly type: string;
  readonly created_at: string;
  readonly data: { readonly id: string; readonly payload: Record<string, unknown> };
}

export interface Receiving {
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
  /** The number of requests so far, this one included. */
  readonly requestNumber: number;
  /** Whether the sender still waits for the response. */
  readonly isConnected: () => boolean;
}

export interface ReceiverState {
  /** The stored keys. */
  readonly seen: Set<string>;
  /** The ID of the event of each effect. */
  readonly effects: string[];
  /** Stops the receiver until it is restarted, as a crash of its process does. */
  crash(): void;
}

/** The parts of a receiver. Each defect replaces some of them. */
export interface ExploredParts {
  readBody(request: IncomingMessage): Promise<Buffer>;
  isAuthentic(receiving: Receiving, parts: ExploredParts): boolean;
  isRecent(timestampMs: number): boolean;
  /** The form of the body that is verified. */
  toVerified(body: Buffer): Buffer | string;
  matches(signature: string, expected: string): boolean;
  parse(body: string): ReceivedEvent;
  /** Runs before the verification. */
  beforeVerifying(receiving: Receiving, state: ReceiverState): void;
  /** The status for an authentic event that is not processed; null to process it. */
  refuse(event: ReceivedEvent, receiving: Receiving): number | null | Promise<number | null>;
  getKey(event: ReceivedEvent, receiving: Receiving): string;
  /** @returns whether the key is new */
  storeKey(key: string, seen: Set<string>, receiving: Receiving): boolean | Promise<boolean>;
  readonly rejectionStatus: number;
  readonly repeatStatus: number;
  /** Whether the effect takes place. */
  hasEffect(event: ReceivedEvent, state: Pick<ReceiverState, 'effects'>): boolean | Promise<boolean>;
  readonly workMs: number;
  /** How far its clock, which the header Date shows, is ahead. */
  readonly clockDifferenceMs: number;
  readonly respondsAfterWork: boolean;
  /** Whether a restart deletes the stored keys. */
  readonly forgetsOnRestart: boolean;
  onRestart(): void;
}

export const correctParts: ExploredParts = {
  readBody: buffer,
  isAuthentic({ body, headers }, parts) {
    const timestamp = String(headers['service-timestamp'] ?? '');
    const digest = createHmac('sha256', SECRET)
      .update(`${timestamp}.`)
      .update(parts.toVerified(body))
      .digest('hex');
    const signatures = String(headers['service-signature'] ?? '').split(',');
    return (
      parts.isRecent(Date.parse(timestamp) - parts.clockDifferenceMs) &&
      signatures.some((signature) => parts.matches(signature, `v1=${digest}`))
    );
  },
  isRecent: (timestampMs) => Math.abs(Date.now() - timestampMs) <= TOLERANCE_MS,
  toVerified: (body) => body,
  matches: (signature, expected) =>
    signature.length === expected.length && timingSafeEqual(Buffer.from(signature), Buffer.from(expected)),
  parse: JSON.parse,
  beforeVerifying: () => {},
  refuse: () => null,
  getKey: ({ data }) => data.id,
  storeKey,
  rejectionStatus: 400,
  repeatStatus: 204,
  hasEffect: () => true,
  workMs: 0,
  clockDifferenceMs: 0,
  respondsAfterWork: false,
  forgetsOnRestart: false,
  onRestart: () => {},
};

/** Stores a key. @returns whether it is new */
export function storeKey(key: string, seen: Set<string>): boolean {
  const isNew = !seen.has(key);
  seen.add(key);
  return isNew;
}

export interface ExploredReceiver extends AsyncDisposable {
  readonly url: string;
  /** Returns the effects, for `--observe`. */
  readonly effectsUrl: string;
  readonly readEffects: () => Promise<EffectReading>;
  /** As {@link readEffects}, without IDs. */
  readonly countEffects: () => Promise<EffectReading>;
  /** Closes all connections and starts to listen again. */
  readonly restart: () => Promise<void>;
}

/** Starts the receiver on a free port. */
export async function startExploredReceiver(changes: Partial<ExploredParts> = {}): Promise<ExploredReceiver> {
  const parts: ExploredParts = { ...correctParts, ...changes };
  const seen = new Set<string>();
  const effects: string[] = [];
  let requestNumber = 0;

  async function work(event: ReceivedEvent): Promise<void> {
    if (parts.workMs > 0) await sleep(parts.workMs);
    if (await parts.hasEffect(event, { effects })) effects.push(event.data.id);
  }

  async function receive(receiving: Receiving): Promise<number> {
    parts.beforeVerifying(receiving, { seen, effects, crash });
    if (!parts.isAuthentic(receiving, parts)) return parts.rejectionStatus;
    const event = parts.parse(receiving.body.toString());
    const refusal = await parts.refuse(event, receiving);
    if (refusal !== null) return refusal;
    if (!(await parts.storeKey(parts.getKey(event, receiving), seen, receiving))) return parts.repeatStatus;
    const working = work(event);
    if (parts.respondsAfterWork) await working;
    return 204;
  }

  const start = (): Server =>
    createServer((request, response) => {
      const { headers, socket } = request;
      if (request.method === 'GET') return void response.end(JSON.stringify({ ids: effects }));
      const isConnected = () => !socket.destroyed;
      parts
        .readBody(request)
        .then((body) => receive({ body, headers, isConnected, requestNumber: ++requestNumber }))
        .then((status) => {
          response.setHeader('Date', new Date(Date.now() + parts.clockDifferenceMs).toUTCString());
          response.writeHead(status).end();
        })
        // A request that was cut off has no response.
        .catch(() => response.destroyed || response.writeHead(500).end());
    });
  const stop = (server: Server) => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => void server.close(() => resolve()));
  };
  const crash = () => {
    isRunning = false;
    void stop(server);
  };
  const readEffects = async (): Promise<EffectReading> => {
    if (!isRunning) throw new Error('connection refused');
    return { count: effects.length, ids: [...effects] };
  };
  let isRunning = true;
  let server = start();
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    effectsUrl: `http://127.0.0.1:${port}/effects`,
    readEffects,
    countEffects: async () => ({ ...(await readEffects()), ids: null }),
    async restart() {
      if (isRunning) await stop(server);
      isRunning = true;
      if (parts.forgetsOnRestart) seen.clear();
      parts.onRestart();
      server = start();
      await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
    },
    [Symbol.asyncDispose]: async () => void (isRunning && (await stop(server))),
  };
}
