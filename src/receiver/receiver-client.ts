/** Sends single requests to the receiver. */
import { rootCertificates } from 'node:tls';
import { classifyHost } from '../domain/address.ts';
import { formatDuration } from '../domain/duration.ts';
import { findTargetProblem, type WebhookUrlRule } from '../domain/webhook-url.ts';
import { SvcError } from '../errors.ts';
import { startPolicyRequest } from '../network/policy-request.ts';
import { abortAfter } from '../timers.ts';

export interface DeliveryMessage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Result of one request: a status, or the reason for its absence. */
export type ReceiverResponse = { readonly durationMs: number } & (
  | { readonly status: number; readonly problem: null }
  | { readonly status: null; readonly problem: string }
);

export interface ReceiverClientOptions {
  readonly url: string;
  /** Where requests may go, as for deliveries (decision `webhook.url`). */
  readonly urlRule: WebhookUrlRule;
  /** Time limit for a complete response. */
  readonly timeoutMs: number;
  /** Certificate authority in PEM to trust in addition to the built-in ones. */
  readonly ca?: string | undefined;
  /** Aborts requests in flight. */
  readonly signal: AbortSignal;
}

export type SendToReceiver = (message: DeliveryMessage) => Promise<ReceiverResponse>;

/**
 * Each request uses its own connection. Redirects are not followed (decision `delivery.success`).
 * @throws SvcError `usage` for a URL to which deliveries may not go
 */
export function createReceiverClient({
  url,
  urlRule,
  timeoutMs,
  ca,
  signal,
}: ReceiverClientOptions): SendToReceiver {
  assertAllowed(url, urlRule);
  const trusted = ca === undefined ? undefined : [...rootCertificates, ca];

  return ({ body, headers }) =>
    new Promise((resolve) => {
      const startedAt = performance.now();
      const deadline = abortAfter(timeoutMs);
      const outgoing = startPolicyRequest(url, {
        rule: urlRule,
        method: 'POST',
        ca: trusted,
        signal: AbortSignal.any([signal, deadline]),
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
          ...headers,
        },
      });
      let received: ReceiverResponse | null = null;
      const end = (problem: string) => resolve(received ?? { status: null, problem, durationMs: elapsed() });
      const elapsed = () => Math.round(performance.now() - startedAt);
      outgoing.on('response', (response) => {
        received = { status: response.statusCode ?? 0, problem: null, durationMs: elapsed() };
        response
          .on('error', () => end(''))
          .on('close', () => end(''))
          .resume();
      });
      outgoing.on('error', (error) =>
        end(deadline.aborted ? `no response within ${formatDuration(timeoutMs)}` : describeProblem(error)),
      );
      outgoing.end(body);
    });
}

function assertAllowed(url: string, rule: WebhookUrlRule): void {
  const { protocol, hostname } = new URL(url);
  const host = classifyHost(hostname);
  const problem = findTargetProblem(rule, protocol, host);
  if (problem === null) return;
  throw new SvcError('usage', `The URL of the receiver ${problem}: ${hostname} is ${host.description}.`, {
    hint:
      rule === 'public'
        ? 'Use the relaxed profile to check a local receiver: SVC_PROFILE=relaxed'
        : 'Pass the URL that you register as an endpoint.',
  });
}

/** 2xx (§6.5). */
export function isAccepted({ status }: ReceiverResponse): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** A client-error status (§6.4). */
export function isRejected({ status }: ReceiverResponse): boolean {
  return status !== null && status >= 400 && status < 500;
}

/** `status 204`, or the problem. `2 × status 204, status 500` for several. */
export function describeResponses(...responses: readonly ReceiverResponse[]): string {
  const counts = new Map<string, number>();
  for (const { status, problem } of responses) {
    const text = status === null ? problem : `status ${status}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return Array.from(counts, ([text, count]) => (count === 1 ? text : `${count} × ${text}`)).join(', ');
}

const problems: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused: nothing listens at this address',
  ECONNRESET: 'connection closed without a response',
  EPIPE: 'connection closed without a response',
  ENOTFOUND: 'the host name does not resolve',
};

function describeProblem(error: NodeJS.ErrnoException): string {
  return problems[error.code ?? ''] ?? error.message;
}
