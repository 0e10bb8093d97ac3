/** A right receiver in which single parts can be replaced by wrong ones. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

export const SECRET = 'whsec_c3ZjLWNoZWNrLXNlY3JldA';
export const API_KEY = 'svc_test_c3ZjLWNoZWNrLWtleQ';

const FIVE_MINUTES_MS = 300_000;

/** The parts of a right receiver. Each fault replaces some of them. */
export interface ReceiverParts {
  /** What of the body is verified. */
  toSigned(body: Buffer): Buffer | string;
  readonly keys: readonly string[];
  matches(signature: string, expected: string): boolean;
  isAuthentic(signed: Buffer | string, headers: IncomingHttpHeaders, parts: ReceiverParts): boolean;
  isRecent(timestamp: string): boolean;
  parse(body: string): { type: string; data: { id: string } };
  isKnownType(type: string): boolean;
  /** What tells repeats apart. */
  keyOf(event: { data: { id: string } }, headers: IncomingHttpHeaders): string;
  /** Keeps the key; false when it was there. */
  keep(key: string, seen: Set<string>): boolean | Promise<boolean>;
  readonly refusal: number;
  readonly repeat: number;
  readonly processesFirst: boolean;
  /** How long the work takes, and whether the answer waits for it. */
  readonly workMs: number;
  readonly answersLast: boolean;
}

export const correctParts: ReceiverParts = {
  toSigned: (body) => body,
  keys: [SECRET],
  matches: (signature, expected) =>
    signature.length === expected.length && timingSafeEqual(Buffer.from(signature), Buffer.from(expected)),
  isAuthentic: verify,
  isRecent: (timestamp) => Math.abs(Date.now() - Date.parse(timestamp)) <= FIVE_MINUTES_MS,
  parse: JSON.parse,
  isKnownType: () => true,
  keyOf: ({ data }) => data.id,
  keep(key, seen) {
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  },
  refusal: 400,
  repeat: 204,
  processesFirst: false,
  workMs: 100,
  answersLast: false,
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
  readonly count: () => Promise<number>;
}

/** Starts it on a free port, and counts what it does. */
export async function startDefectiveReceiver(changes: Partial<ReceiverParts> = {}): Promise<RunningReceiver> {
  const parts: ReceiverParts = { ...correctParts, ...changes };
  const seen = new Set<string>();
  let effects = 0;

  async function work(): Promise<void> {
    await pause(parts.workMs);
    effects++;
  }

  async function process(body: Buffer, headers: IncomingHttpHeaders): Promise<number> {
    const event = parts.parse(body.toString());
    if (!parts.isKnownType(event.type)) return 422;
    if (!(await parts.keep(parts.keyOf(event, headers), seen))) return parts.repeat;
    const worked = work();
    if (parts.answersLast) await worked;
    return 204;
  }

  async function receive(body: Buffer, headers: IncomingHttpHeaders): Promise<number> {
    const isAuthentic = () => parts.isAuthentic(parts.toSigned(body), headers, parts);
    if (parts.processesFirst) {
      const status = await process(body, headers);
      return isAuthentic() ? status : parts.refusal;
    }
    return isAuthentic() ? process(body, headers) : parts.refusal;
  }

  const answer = (response: ServerResponse, status: number) => response.writeHead(status).end();
  const server = createServer((request, response) => {
    buffer(request)
      .then((body) => receive(body, request.headers))
      .then((status) => answer(response, status))
      .catch(() => answer(response, 500));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    count: async () => effects,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
