/** Sends one request of a history to the receiver, also slowly, in part, or without reading the response. */
import { once } from 'node:events';
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { finished } from 'node:stream/promises';
import { rootCertificates } from 'node:tls';
import { formatDuration, SECOND_MS } from '../../domain/duration.ts';
import { type AddressPolicy, BlockedError, startPolicyRequest } from '../../network/address-policy.ts';
import { abortAfter, sleep } from '../../timers.ts';
import {
  assertAllowedReceiver,
  describeConnectionProblem,
  type ReceiverClientOptions,
  readServerTime,
} from '../receiver-client.ts';

export interface ExchangeClientOptions extends Omit<ReceiverClientOptions, 'timeoutMs'> {
  /** Addresses to which nothing is sent, in addition to those that `urlRule` excludes (default: none). */
  readonly isOwnAddress?: AddressPolicy['isOwnAddress'];
  /** Headers of each request in addition to those of the delivery (default: none). */
  readonly extraHeaders?: Readonly<Record<string, string>>;
  /** Accept any certificate. */
  readonly insecureTls?: boolean;
}

export interface ExchangeRequest {
  readonly body: string;
  /** A header with several values is sent several times. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly failure?: 'lost-response' | 'cut-request' | undefined;
  readonly hasSlowBody?: boolean | undefined;
  readonly keepsConnection?: boolean | undefined;
}

/**
 * A status, or why there is none. `cut`: the request or the response was cut off on purpose; `blocked`: deliveries may not go
 * to the address.
 */
export type ExchangeResponse = { readonly durationMs: number } & (
  | {
      readonly status: number;
      readonly problem: null;
      readonly failure: null;
      /** The time in the header `Date`, in milliseconds since 1970; null without one. */
      readonly serverTimeMs: number | null;
      /** How long to wait, from the header `Retry-After`; null without one. */
      readonly retryAfterMs: number | null;
    }
  | {
      readonly status: null;
      readonly problem: string;
      readonly failure: 'cut' | 'timeout' | 'connection' | 'blocked';
    }
);

export interface ExchangeClient {
  /** @param timeoutMs time limit for a complete response */
  send(request: ExchangeRequest, timeoutMs: number): Promise<ExchangeResponse>;
  /** Closes the connections that are kept open. */
  closeConnections(): void;
}

/** Pause between the two parts of a slow body. */
const SLOW_BODY_MS = 40;
/** Time for a receiver to read a complete request before its connection is cut. */
const CUT_AFTER_MS = 15;

/** @throws SvcError `usage` for a URL to which deliveries may not go */
export function createExchangeClient({
  url,
  urlRule,
  isOwnAddress,
  extraHeaders,
  insecureTls,
  ca,
  signal,
}: ExchangeClientOptions): ExchangeClient {
  assertAllowedReceiver(url, urlRule);
  const certificates = ca === undefined ? undefined : [...rootCertificates, ca];
  const Agent = new URL(url).protocol === 'https:' ? HttpsAgent : HttpAgent;
  const agent = new Agent({ keepAlive: true });

  async function send(request: ExchangeRequest, timeoutMs: number): Promise<ExchangeResponse> {
    const startedAt = performance.now();
    const getElapsedMs = () => Math.round(performance.now() - startedAt);
    const deadline = abortAfter(timeoutMs);
    const body = Buffer.from(request.body);
    const half = body.subarray(0, body.length >> 1);
    try {
      const outgoing = startPolicyRequest(url, {
        rule: urlRule,
        isOwnAddress,
        insecureTls,
        method: 'POST',
        ca: certificates,
        signal: AbortSignal.any([signal, deadline]),
        agent: request.keepsConnection ? agent : false,
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': body.length,
          ...extraHeaders,
          ...request.headers,
        },
      });
      // An error after the status, such as a body that is cut off, does not matter.
      outgoing.on('error', () => {});
      const responding = once(outgoing, 'response') as Promise<[IncomingMessage]>;
      responding.catch(() => {});
      // A write that fails calls nothing back, but the response rejects.
      const writeHalf = () =>
        Promise.race([new Promise((resolve) => outgoing.write(half, resolve)), responding]);
      if (request.failure === 'cut-request') {
        await writeHalf();
        await sleep(CUT_AFTER_MS, signal);
        return cut(outgoing);
      }
      if (request.hasSlowBody) {
        await writeHalf();
        await sleep(SLOW_BODY_MS, signal);
        outgoing.end(body.subarray(half.length));
      } else {
        outgoing.end(body);
      }
      if (request.failure === 'lost-response') {
        if (!outgoing.writableFinished) await Promise.race([once(outgoing, 'finish'), responding]);
        await Promise.race([sleep(CUT_AFTER_MS, signal), responding]);
        return cut(outgoing);
      }
      const [message] = await responding;
      const response = { status: message.statusCode ?? 0, problem: null, durationMs: getElapsedMs() };
      await finished(message.resume()).catch(() => {});
      const serverTimeMs = readServerTime(message);
      return { ...response, failure: null, serverTimeMs, retryAfterMs: readRetryAfter(message) };
    } catch (error) {
      const problem = deadline.aborted
        ? `no response within ${formatDuration(timeoutMs)}`
        : describeConnectionProblem(error as Error);
      const failure = deadline.aborted ? 'timeout' : error instanceof BlockedError ? 'blocked' : 'connection';
      return { status: null, problem, durationMs: getElapsedMs(), failure };
    }

    function cut(outgoing: ClientRequest): ExchangeResponse {
      outgoing.destroy();
      const problem = request.failure === 'cut-request' ? 'request cut off' : 'response lost';
      return { status: null, problem, durationMs: getElapsedMs(), failure: 'cut' };
    }
  }

  return { send, closeConnections: () => agent.destroy() };
}

/** A time in `Retry-After` is not read: 429 and 503 usually come with seconds. */
function readRetryAfter({ headers }: IncomingMessage): number | null {
  const text = headers['retry-after'] ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) * SECOND_MS : null;
}
