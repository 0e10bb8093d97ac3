/** Sends requests to a receiver, one connection for each, only where deliveries may go. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { rootCertificates } from 'node:tls';
import { classifyHost } from '../domain/address.ts';
import { formatDuration, SECOND_MS } from '../domain/duration.ts';
import { findTargetProblem, type WebhookUrlRule } from '../domain/webhook-url.ts';
import { SvcError } from '../errors.ts';
import { startPolicyRequest } from '../network/address-policy.ts';
import { abortAfter } from '../timers.ts';

export interface DeliveryMessage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How long a receiver may respond to a repeat with 409, because it still works on the first delivery. */
export const MAX_CONFLICT_MS = 3 * SECOND_MS;

/** A status, or why there is none. */
export type ReceiverResponse = { readonly durationMs: number } & (
  | { readonly status: number; readonly problem: null }
  | { readonly status: null; readonly problem: string; readonly failure: 'timeout' | 'tls' | 'connection' }
);

export interface ReceiverClientOptions {
  readonly url: string;
  /** Where requests may go, as for deliveries (gap `webhook.url`). */
  readonly urlRule: WebhookUrlRule;
  /** Time limit for a complete response. */
  readonly timeoutMs: number;
  /** Certificate authority in PEM to trust in addition to the built-in ones. */
  readonly ca?: string | undefined;
  /** Aborts requests that are in flight. */
  readonly signal: AbortSignal;
}

/** `serverTimeMs` is the time in the header `Date`, in milliseconds since 1970; null without one. */
export type DatedResponse = ReceiverResponse & { readonly serverTimeMs: number | null };

/** @param limitMs time limit for a complete response (default: `timeoutMs` of the options) */
export type SendToReceiver = (message: DeliveryMessage, limitMs?: number) => Promise<DatedResponse>;

/** Redirects are not followed (gap `delivery.success`). */
export function createReceiverClient({
  url,
  urlRule,
  timeoutMs,
  ca,
  signal,
}: ReceiverClientOptions): SendToReceiver {
  const certificates = ca === undefined ? undefined : [...rootCertificates, ca];

  return async ({ body, headers }, limitMs = timeoutMs) => {
    const startedAt = performance.now();
    const getElapsedMs = () => Math.round(performance.now() - startedAt);
    const deadline = abortAfter(limitMs);
    const request = startPolicyRequest(url, {
      rule: urlRule,
      method: 'POST',
      ca: certificates,
      signal: AbortSignal.any([signal, deadline]),
      headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...headers },
    });
    // An error after the status, such as a body that is cut off, does not matter.
    request.on('error', () => {});
    try {
      const [message] = (await once(request.end(body), 'response')) as [IncomingMessage];
      const response = { status: message.statusCode ?? 0, problem: null, durationMs: getElapsedMs() };
      const serverTimeMs = readServerTime(message);
      await finished(message.resume()).catch(() => {});
      return { ...response, serverTimeMs };
    } catch (error) {
      const noResponse = { status: null, durationMs: getElapsedMs(), serverTimeMs: null } as const;
      if (deadline.aborted) {
        const problem = `no response within ${formatDuration(limitMs)}`;
        return { ...noResponse, failure: 'timeout', problem };
      }
      const { code = '' } = error as NodeJS.ErrnoException;
      const problem = describeConnectionProblem(error as Error);
      return { ...noResponse, failure: TLS_CODE.test(code) ? 'tls' : 'connection', problem };
    }
  };
}

/** The time in the header `Date`, in milliseconds since 1970; null without one. */
export function readServerTime({ headers }: IncomingMessage): number | null {
  const serverTimeMs = Date.parse(headers.date ?? '');
  return Number.isNaN(serverTimeMs) ? null : serverTimeMs;
}

/** Codes of Node.js for certificates that are not trusted, and for failed handshakes. */
const TLS_CODE = /CERT|TLS|SSL|EPROTO|UNABLE_TO_VERIFY/;

/** @throws SvcError `usage` for a URL to which deliveries may not go */
export function assertAllowedReceiver(url: string, rule: WebhookUrlRule): void {
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

/** Whether the response did not come in time. */
export function isTimeout(response: ReceiverResponse): boolean {
  return response.status === null && response.failure === 'timeout';
}

/** `status 204`, or the problem. `2 × status 204, status 500` for several. */
export function describeResponses(...responses: readonly ReceiverResponse[]): string {
  const counts = new Map<string, number>();
  for (const { status, problem } of responses) {
    const description = status === null ? problem : `status ${status}`;
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
};

/** Describes a connection error without the words of Node.js, where it is a common one. */
export function describeConnectionProblem(error: NodeJS.ErrnoException): string {
  return connectionProblems[error.code ?? ''] ?? error.message;
}
