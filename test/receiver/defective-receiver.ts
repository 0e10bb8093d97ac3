/** A correct receiver whose parts can be replaced by defective ones. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../support/local-server.ts';

export const SECRET = 'whsec_c3ZjLWNoZWNrLXNlY3JldA';
export const API_KEY = 'svc_test_c3ZjLWNoZWNrLWtleQ';

const FIVE_MINUTES_MS = 300_000;

/** The parts of a receiver. Each defect replaces some of them. */
export interface ReceiverParts {
  /** The form of the body that is verified. */
  toVerified(body: Buffer): Buffer | string;
  readonly keys: readonly string[];
  matches(signature: string, expected: string): boolean;
  isAuthentic(signed: Buffer | string, headers: IncomingHttpHeaders, parts: ReceiverParts): boolean;
  isRecent(timestamp: string): boolean;
  parse(body: string): { type: string; data: { id: string } };
  isKnownType(type: string): boolean;
  /** The deduplication key. */
  getKey(event: { data: { id: string } }, headers: IncomingHttpHeaders): string;
  /** Stores the key. @returns false if it was stored before. */
  storeKey(key: string, seen: Set<string>): boolean | Promise<boolean>;
  readonly rejectionStatus: number;
  /** The status of the response to a repeat. `isWorking`: the first delivery is still being processed. */
  getRepeatStatus(isWorking: boolean): number;
  readonly processesBeforeVerifying: boolean;
  /** Whether the key is stored even if the delivery is rejected. */
  readonly storesKeyBeforeVerifying: boolean;
  /** The clock in the header `Date`. */
  now(): number;
  /** Called before anything else. */
  wait(): Promise<void>;
  /** Resolves when the work is done. Whether the response waits for it: `respondsAfterWork`. */
  work(): Promise<void>;
  readonly respondsAfterWork: boolean;
}

export const correctParts: ReceiverParts = {
  toVerified: (body) => body,
  keys: [SECRET],
  matches: (signature, expected) =>
    signature.length === expected.length && timingSafeEqual(Buffer.from(signature), Buffer.from(expected)),
  isAuthentic: verify,
  isRecent: (timestamp) => Math.abs(Date.now() - Date.parse(timestamp)) <= FIVE_MINUTES_MS,
  parse: JSON.parse,
  isKnownType: () => true,
  getKey: ({ data }) => data.id,
  storeKey(key, keys) {
    const isNew = !keys.has(key);
    keys.add(key);
    return isNew;
  },
  rejectionStatus: 400,
  getRepeatStatus: () => 204,
  processesBeforeVerifying: false,
  storesKeyBeforeVerifying: false,
  wait: async () => {},
  work: () => sleep(100),
  now: Date.now,
  respondsAfterWork: false,
};

function verify(signed: Buffer | string, headers: IncomingHttpHeaders, parts: ReceiverParts): boolean {
  const timestamp = String(headers['service-timestamp'] ?? '');
  const signatures = String(headers['service-signature'] ?? '').split(',');
  return (
    parts.isRecent(timestamp) &&
    parts.keys.some((key) => {
      const digest = createHmac('sha256', key).update(`${timestamp}.`).update(signed).digest('hex');
      return signatures.some((signature) => parts.matches(signature, `v1=${digest}`));
    })
  );
}

export interface RunningReceiver extends AsyncDisposable {
  readonly url: string;
  readonly countEffects: () => Promise<number>;
  /** The IDs of the events of all effects. */
  readonly listEffects: () => readonly string[];
  readonly countDeliveries: () => number;
}

/** Starts the receiver on a free port and counts its effects. */
export async function startDefectiveReceiver(changes: Partial<ReceiverParts> = {}): Promise<RunningReceiver> {
  const parts: ReceiverParts = { ...correctParts, ...changes };
  const keys = new Set<string>();
  const effects: string[] = [];
  let deliveries = 0;

  const workingKeys = new Set<string>();

  async function work(key: string, eventId: string): Promise<void> {
    workingKeys.add(key);
    await parts.work();
    workingKeys.delete(key);
    effects.push(eventId);
  }

  async function process(
    body: Buffer,
    headers: IncomingHttpHeaders,
    isAllowed = () => true,
  ): Promise<number> {
    const event = parts.parse(body.toString());
    if (!parts.isKnownType(event.type)) return 422;
    const key = parts.getKey(event, headers);
    const isNew = await parts.storeKey(key, keys);
    if (!isAllowed()) return parts.rejectionStatus;
    if (!isNew) return parts.getRepeatStatus(workingKeys.has(key));
    const working = work(key, event.data.id);
    if (parts.respondsAfterWork) await working;
    return 204;
  }

  async function receive(body: Buffer, headers: IncomingHttpHeaders): Promise<number> {
    const isAuthentic = () => parts.isAuthentic(parts.toVerified(body), headers, parts);
    if (parts.processesBeforeVerifying) {
      const status = await process(body, headers);
      return isAuthentic() ? status : parts.rejectionStatus;
    }
    if (parts.storesKeyBeforeVerifying) return process(body, headers, isAuthentic);
    return isAuthentic() ? process(body, headers) : parts.rejectionStatus;
  }

  const respond = (response: ServerResponse, status: number) =>
    response.writeHead(status, { Date: new Date(parts.now()).toUTCString() }).end();
  const server = createServer((request, response) => {
    deliveries++;
    buffer(request)
      .then((body) => parts.wait().then(() => receive(body, request.headers)))
      .then((status) => respond(response, status))
      .catch(() => respond(response, 500));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    countEffects: async () => effects.length,
    listEffects: () => effects,
    countDeliveries: () => deliveries,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
