/** Sends requests to a receiver, only where deliveries may go; also slowly, in part, or without reading the response. */
import { describeFailure } from '../diagnosis/describe-failure.ts';
import { formatDuration } from '../domain/duration.ts';
import { SvcError } from '../domain/errors.ts';
import { findHostProblem, type WebhookUrlRule } from '../domain/webhook-url.ts';
import { withAnySignal } from '../platform/abort-signals.ts';
import { type Exchange, OutboundClient } from '../platform/outbound-client.ts';
import { assertNotEmulator } from '../platform/own-addresses.ts';
import { sleep } from '../platform/timers.ts';

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

/** A status, or why there is none. `cut`: the request or the response was cut off on purpose. */
export type ReceiverResponse = { readonly durationMs: number } & (
  | {
      readonly status: number;
      readonly problem: null;
      readonly failure: null;
      /** The time in the header `Date`, in milliseconds since 1970; NaN without a valid one. */
      readonly serverTimeMs: number;
    }
  | {
      readonly status: null;
      readonly problem: string;
      readonly failure: 'cut' | 'timeout' | 'tls' | 'connection';
    }
);

export interface ReceiverClientOptions {
  readonly url: string;
  /** Where requests may go, as for deliveries (gap `webhook.url`). */
  readonly urlRule: WebhookUrlRule;
  /** Certificate authority in PEM to trust in addition to the built-in ones. */
  readonly ca?: string | undefined;
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
/** Only the status matters, but a receiver may fail if nobody reads the rest of its response. */
const BODY_LIMIT_BYTES = 1024 * 1024;

/** Redirects are not followed (gap `delivery.success`). @throws SvcError `usage` for a URL to which deliveries may not go */
export function createReceiverClient(options: ReceiverClientOptions): ReceiverClient {
  const { url, urlRule, ca, signal } = options;
  assertAllowedReceiver(url, urlRule);
  const client = new OutboundClient({ rule: urlRule, ca });
  let isFirst = true;

  async function send(message: DeliveryMessage, timeoutMs: number): Promise<ReceiverResponse> {
    const body = Buffer.from(message.body);
    const cut = new AbortController();
    const exchange = await withAnySignal([signal, cut.signal], (ended) =>
      client.send({
        url,
        timeoutMs,
        bodyLimitBytes: BODY_LIMIT_BYTES,
        signal: ended,
        reusesConnection: message.keepsConnection ?? false,
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': body.length,
          ...message.headers,
        },
        body: message.failure || message.hasSlowBody ? writeBody(body, message, cut, signal) : body,
      }),
    );
    const { response, phases } = exchange;
    const durationMs = Math.round(exchange.durationMs - (phases.receive ?? 0));
    if (message.failure !== undefined && exchange.stage !== 'connecting') {
      const problem = message.failure === 'cut-request' ? 'request cut off' : 'response lost';
      return { status: null, problem, failure: 'cut', durationMs };
    }
    if (response !== null) {
      isFirst = false;
      const { status, headers } = response;
      const serverTimeMs = Date.parse(headers.date ?? '');
      return { status, problem: null, failure: null, durationMs, serverTimeMs };
    }
    return { status: null, durationMs, ...classifyFailure(exchange, url, timeoutMs, isFirst) };
  }

  return { send, closeConnections: () => client.closeConnections() };
}

/** Called when there is a connection. Aborts `cut` to cut it. */
async function* writeBody(
  body: Buffer,
  { failure, hasSlowBody }: DeliveryMessage,
  cut: AbortController,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const half = hasSlowBody || failure === 'cut-request' ? body.length >> 1 : body.length;
  yield body.subarray(0, half);
  if (hasSlowBody && failure !== 'cut-request') {
    await sleep(SLOW_BODY_MS, signal);
    yield body.subarray(half);
  }
  if (failure === undefined) return;
  await sleep(CUT_AFTER_MS, signal);
  cut.abort();
}

function classifyFailure(exchange: Exchange, url: string, timeoutMs: number, isFirst: boolean) {
  const limits = { connectTimeoutMs: timeoutMs, attemptTimeoutMs: timeoutMs };
  const context = { ...exchange, ...limits, url: new URL(url), isFirst };
  const { outcome, error } = describeFailure(exchange.failure ?? 'stopped', context);
  if (outcome === 'timeout') {
    return { failure: outcome, problem: `no response within ${formatDuration(timeoutMs)}` } as const;
  }
  return { failure: outcome === 'tls_error' ? 'tls' : 'connection', problem: error } as const;
}

/** @throws SvcError `usage` for a URL to which deliveries may not go, such as one of the emulator itself */
export function assertAllowedReceiver(url: string, rule: WebhookUrlRule): void {
  assertNotEmulator(url);
  const problem = findHostProblem(rule, new URL(url));
  if (problem === null) return;
  throw new SvcError('usage', `The URL of the receiver ${problem}.`, {
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
  return failure === 'connection' || failure === 'tls';
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
  for (const text of responses.map(describeResponse)) counts.set(text, (counts.get(text) ?? 0) + 1);
  return Array.from(counts, ([text, count]) => (count === 1 ? text : `${count} × ${text}`)).join(', ');
}
