/** Sends requests to a receiver, only where deliveries may go; also slowly, in part, or without reading the response. */
import { once } from 'node:events';
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { finished } from 'node:stream/promises';
import { rootCertificates } from 'node:tls';
import { formatDuration, SECOND_MS } from '../domain/duration.ts';
import { classifyHost } from '../domain/network-address.ts';
import { findTargetProblem, type WebhookUrlRule } from '../domain/webhook-url.ts';
import { SvcError } from '../errors.ts';
import { BlockedError, startPolicyRequest } from '../network/address-policy.ts';
import { assertNotEmulator } from '../network/own-addresses.ts';
import { abortAfter, createLinkedController, sleep } from '../timers.ts';

export interface DeliveryMessage {
  readonly body: string;
  /** A header with several values is sent several times. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** What goes wrong on purpose (default: nothing). */
  readonly failure?: 'lost-response' | 'cut-request' | undefined;
  readonly hasSlowBody?: boolean | undefined;
  /** Keeps its connection open for later messages with this option, and uses one that is free (default: a new connection). */
  readonly keepsConnection?: boolean | undefined;
}

/** How long a receiver may respond to a repeat with a status such as 409, because it still works on the first delivery. */
export const MAX_CONFLICT_MS = 3 * SECOND_MS;

/**
 * A status, or why there is none. `cut`: the request or the response was cut off on purpose; `blocked`: deliveries may not go
 * to the address.
 */
export type ReceiverResponse = { readonly durationMs: number } & (
  | {
      readonly status: number;
      readonly problem: null;
      readonly failure: null;
      /** The time in the header `Date`, in milliseconds since 1970; null without a valid one. */
      readonly serverTimeMs: number | null;
      /** How long to wait, from the header `Retry-After`; null if it has no number of seconds. */
      readonly retryAfterMs: number | null;
    }
  | {
      readonly status: null;
      readonly problem: string;
      readonly failure: 'cut' | 'timeout' | 'tls' | 'connection' | 'blocked';
    }
);

export interface ReceiverClientOptions {
  readonly url: string;
  /** Where requests may go, as for deliveries (gap `webhook.url`). */
  readonly urlRule: WebhookUrlRule;
  /** Headers of each request in addition to those of the message (default: none). */
  readonly extraHeaders?: Readonly<Record<string, string>>;
  /** Certificate authority in PEM to trust in addition to the built-in ones. */
  readonly ca?: string | undefined;
  /** Accept any certificate. */
  readonly insecureTls?: boolean;
  /** Aborts requests that are in flight. */
  readonly signal: AbortSignal;
}

export interface ReceiverClient {
  /** @param timeoutMs time limit for the status. The rest of the response does not matter, but is read until the time limit. */
  send(message: DeliveryMessage, timeoutMs: number): Promise<ReceiverResponse>;
  /** Closes the connections that are kept open. */
  closeConnections(): void;
}

/** Pause between the two parts of a slow body. */
const SLOW_BODY_MS = 40;
/** Time for a receiver to read what was sent before the connection is cut. */
const CUT_AFTER_MS = 15;

/** Redirects are not followed (gap `delivery.success`). @throws SvcError `usage` for a URL to which deliveries may not go */
export function createReceiverClient({
  url,
  urlRule,
  extraHeaders,
  insecureTls,
  ca,
  signal,
}: ReceiverClientOptions): ReceiverClient {
  assertAllowedReceiver(url, urlRule);
  const certificates = ca === undefined ? undefined : [...rootCertificates, ca];
  const Agent = new URL(url).protocol === 'https:' ? HttpsAgent : HttpAgent;
  const agent = new Agent({ keepAlive: true });

  async function send(message: DeliveryMessage, timeoutMs: number): Promise<ReceiverResponse> {
    const startedAt = performance.now();
    const getElapsedMs = () => Math.round(performance.now() - startedAt);
    const deadline = abortAfter(timeoutMs);
    const ended = createLinkedController([signal, deadline]);
    const body = Buffer.from(message.body);
    const half = body.subarray(0, body.length >> 1);
    try {
      const request = startPolicyRequest(url, {
        rule: urlRule,
        insecureTls,
        method: 'POST',
        ca: certificates,
        signal: ended.signal,
        agent: message.keepsConnection ? agent : undefined,
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': body.length,
          ...extraHeaders,
          ...message.headers,
        },
      });
      // An error after the status, such as a body that is cut off, does not matter.
      request.on('error', () => {});
      const responding = once(request, 'response') as Promise<[IncomingMessage]>;
      responding.catch(() => {});
      // If the connection fails, the callback may never be called, but `responding` rejects.
      const writeHalf = () =>
        Promise.race([new Promise((resolve) => request.write(half, resolve)), responding]);
      if (message.failure === 'cut-request') {
        await writeHalf();
        await sleep(CUT_AFTER_MS, signal);
        return cut(request, 'request cut off');
      }
      if (message.hasSlowBody) {
        await writeHalf();
        await sleep(SLOW_BODY_MS, signal);
        request.end(body.subarray(half.length));
      } else {
        request.end(body);
      }
      if (message.failure === 'lost-response') {
        if (!request.writableFinished) await Promise.race([once(request, 'finish'), responding]);
        await Promise.race([sleep(CUT_AFTER_MS, signal), responding]);
        return cut(request, 'response lost');
      }
      const [incoming] = await responding;
      const response = { status: incoming.statusCode ?? 0, problem: null, durationMs: getElapsedMs() };
      await finished(incoming.resume()).catch(() => {});
      return { ...response, failure: null, ...readHeaders(incoming) };
    } catch (error) {
      return deadline.aborted
        ? fail('timeout', `no response within ${formatDuration(timeoutMs)}`)
        : fail(classifyError(error as Error), describeConnectionProblem(error as Error));
    } finally {
      ended.abort();
    }

    function cut(request: ClientRequest, problem: string): ReceiverResponse {
      request.destroy();
      return fail('cut', problem);
    }

    function fail(failure: NonNullable<ReceiverResponse['failure']>, problem: string): ReceiverResponse {
      return { status: null, problem, failure, durationMs: getElapsedMs() };
    }
  }

  return { send, closeConnections: () => agent.destroy() };
}

/** A time in `Retry-After` is not read: 429 and 503 usually come with seconds. */
function readHeaders({ headers }: IncomingMessage) {
  const serverTimeMs = Date.parse(headers.date ?? '');
  const retryAfter = headers['retry-after'] ?? '';
  return {
    serverTimeMs: Number.isNaN(serverTimeMs) ? null : serverTimeMs,
    retryAfterMs: /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * SECOND_MS : null,
  };
}

/** Codes of Node.js for certificates that are not trusted, and for failed handshakes. */
const TLS_CODE = /CERT|TLS|SSL|EPROTO|UNABLE_TO_VERIFY/;

function classifyError(error: NodeJS.ErrnoException): 'blocked' | 'tls' | 'connection' {
  if (error instanceof BlockedError) return 'blocked';
  return TLS_CODE.test(error.code ?? '') ? 'tls' : 'connection';
}

/** @throws SvcError `usage` for a URL to which deliveries may not go, such as one of the emulator itself */
export function assertAllowedReceiver(url: string, rule: WebhookUrlRule): void {
  assertNotEmulator(url);
  const { protocol, hostname } = new URL(url);
  const host = classifyHost(hostname);
  const problem = findTargetProblem(rule, protocol, host);
  if (problem === null) return;
  throw new SvcError('usage', `The URL of the receiver ${problem} (${hostname} is ${host.description}).`, {
    hint:
      rule === 'public'
        ? 'Use the relaxed profile to check a local receiver: SVC_PROFILE=relaxed'
        : 'Pass the URL that you register as an endpoint.',
  });
}

/** 2xx (§6.5). */
export function isAccepted({ status }: Pick<ReceiverResponse, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** A client-error status (§6.4). */
export function isRejected({ status }: Pick<ReceiverResponse, 'status'>): boolean {
  return status !== null && status >= 400 && status < 500;
}

/** Whether there was no connection, or it was closed before the response. */
export function isUnreachable({ failure }: Pick<ReceiverResponse, 'failure'>): boolean {
  return failure === 'connection' || failure === 'tls' || failure === 'blocked';
}

/** What to do if no delivery reaches the receiver. */
export function getConnectionHint({ failure }: Pick<ReceiverResponse, 'failure'>): string {
  return failure === 'tls'
    ? 'Correct its certificate, or trust its certificate authority with --ca.'
    : 'Check the URL, and that the receiver is running.';
}

/** `status 204`, or why there is no status. */
export function describeResponse({ status, problem }: ReceiverResponse): string {
  return status === null ? problem : `status ${status}`;
}

/** `2 × status 204, status 500`, in the order in which they occur first. */
export function describeResponses(...responses: readonly ReceiverResponse[]): string {
  const counts = new Map<string, number>();
  for (const description of responses.map(describeResponse)) {
    counts.set(description, (counts.get(description) ?? 0) + 1);
  }
  return Array.from(counts, ([description, count]) =>
    count === 1 ? description : `${count} × ${description}`,
  ).join(', ');
}

const connectionProblems: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused: nothing is listening at this address',
  ECONNRESET: 'connection closed without a response',
  EPIPE: 'connection closed without a response',
  ENOTFOUND: 'the host name does not resolve',
  ETIMEDOUT: 'no connection: the host does not respond, or the listen backlog of the receiver is full',
};

/** Describes a connection error without the words of Node.js, where it is a common one. */
export function describeConnectionProblem(error: NodeJS.ErrnoException): string {
  return connectionProblems[error.code ?? ''] ?? error.message;
}
