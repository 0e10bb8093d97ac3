/** A receiver for tests: an HTTP server that records requests and sends the responses that it is given. */

import type { IncomingMessage } from 'node:http';
import * as v from 'valibot';
import { formatDuration } from '../domain/duration.ts';
import { SvcError } from '../domain/errors.ts';
import { formatCount } from '../domain/message-parts.ts';
import { toListenError } from '../http/http-listener.ts';
import { clearTimeout, setTimeout } from '../platform/timers.ts';
import { systemClock } from '../platform/wall-clock.ts';
import {
  type ReceivedRequest,
  readReceivedRequest,
  type VerificationOptions,
  verifyReceivedRequest,
} from '../receivers/received-request.ts';
import { type ReceiverResponseOptions, startReceiverServer } from '../receivers/receiver-server.ts';
import { accept, wholeNumber } from '../resources/value-schemas.ts';
import { checkOptions, DurationValue, type SchemasOf, Scheme } from './check-options.ts';
import { DEFAULT_TIMEOUT_MS, type Duration, toMs } from './duration.ts';
import { toLibraryError } from './library-errors.ts';
import { createResponder, type ReceiverResponses } from './receiver-responses.ts';

export interface ReceiverOptions extends Partial<VerificationOptions> {
  /** Port to listen on; 0 is any free port (default: 0). */
  readonly port?: number;
  /** Certificate and key in PEM, to serve HTTPS. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** Real time that {@link Receiver.waitFor} and {@link Receiver.request} wait (default: 4 seconds). */
  readonly timeout?: Duration;
}

export interface ReceiverWaitOptions {
  /** Real time to wait (default: the timeout of the receiver). */
  readonly timeout?: Duration;
}

export interface Receiver extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, or `https://localhost:<port>` with a certificate. */
  readonly url: string;
  readonly port: number;
  /** All requests so far, in the order in which they were complete. */
  readonly requests: readonly ReceivedRequest[];
  /** Replaces the responses. The next request gets the first entry of an array, or index 0 of a function. */
  respond(responses: ReceiverResponses): void;
  /** Sets the responses to events of one type. Requests for these events do not advance the responses of `respond`. */
  respondTo(type: string, responses: ReceiverResponses): void;
  /** Verifies all further requests with this secret, which the creation response of the endpoint contains (§6.2). */
  verifyWith(secret: VerificationOptions['secret']): void;
  /** Resolves to the first `count` requests as soon as they have arrived. @throws SvcError `timeout`, which lists the requests that arrived */
  waitFor(count: number, options?: ReceiverWaitOptions): Promise<readonly ReceivedRequest[]>;
  /** Resolves to the n-th request, counted from 1, as soon as it has arrived. @throws SvcError `timeout` */
  request(n: number, options?: ReceiverWaitOptions): Promise<ReceivedRequest>;
  /** Removes the requests so far from `requests`. */
  clear(): void;
  /** Stops listening and closes all connections. */
  close(): Promise<void>;
}

const ReceiverOptionsSchema = v.strictObject({
  port: v.optional(wholeNumber(0, 65_535)),
  certificate: v.optional(v.strictObject({ cert: v.string(), key: v.string() })),
  timeout: v.optional(DurationValue),
  secret: v.optional(
    accept<string>('a secret or an array of secrets', (value) => {
      const secrets = [value].flat();
      return secrets.length > 0 && secrets.every((secret) => typeof secret === 'string' && secret !== '');
    }),
  ),
  scheme: v.optional(Scheme),
  toleranceMs: v.optional(wholeNumber(0)),
} satisfies SchemasOf<ReceiverOptions>);

/**
 * Starts an HTTP server on 127.0.0.1 that records requests. `await using` closes it.
 * @param responses default: 200
 * @throws SvcError `usage` for an unknown or invalid response or option, `port_in_use`
 */
export async function createReceiver(
  responses: ReceiverResponses = 200,
  options: ReceiverOptions = {},
): Promise<Receiver> {
  checkOptions('createReceiver', ReceiverOptionsSchema, options);
  const { port, certificate, timeout: defaultTimeout = DEFAULT_TIMEOUT_MS, ...verification } = options;
  const requests: ReceivedRequest[] = [];
  const waiters = new Set<() => void>();
  const respondersByType = new Map<string, ReturnType<typeof createResponder>>();
  let defaultResponder = createResponder(responses, 'createReceiver');
  let { secret } = verification;

  async function respond(incoming: IncomingMessage): Promise<ReceiverResponseOptions> {
    const read = await readReceivedRequest(incoming, systemClock.now);
    const request: ReceivedRequest = {
      ...read,
      verification: secret === undefined ? null : verifyReceivedRequest(read, { ...verification, secret }),
    };
    const responder = respondersByType.get(request.envelope?.type ?? '') ?? defaultResponder;
    requests.push(request);
    for (const waiter of waiters) waiter();
    return responder(request).catch(toErrorResponse);
  }

  const server = await startReceiverServer(respond, { port, certificate }).catch((error) => {
    throw toLibraryError(toListenError(error, '127.0.0.1', port ?? 0));
  });

  async function waitForCount(
    call: string,
    count: number,
    timeout: Duration = defaultTimeout,
  ): Promise<readonly ReceivedRequest[]> {
    const timeoutMs = toMs(timeout);
    const arrived = await new Promise<readonly ReceivedRequest[] | null>((resolve) => {
      const end = (result: readonly ReceivedRequest[] | null) => {
        clearTimeout(timer);
        waiters.delete(check);
        resolve(result);
      };
      const timer = setTimeout(() => end(null), timeoutMs);
      const check = () => requests.length >= count && end(requests.slice(0, count));
      waiters.add(check);
      check();
    });
    // An error that the timer created would not have the line of the test in its stack.
    if (arrived === null) throw toTimeoutError(call, count, requests, timeoutMs);
    return arrived;
  }

  return {
    ...server,
    requests,
    respond(responses) {
      defaultResponder = createResponder(responses, 'receiver.respond');
    },
    respondTo(type, responses) {
      respondersByType.set(type, createResponder(responses, 'receiver.respondTo'));
    },
    verifyWith(newSecret) {
      secret = newSecret;
    },
    // `async`, because the stack of an error then has the line of the test.
    waitFor: async (count, options) => await waitForCount('receiver.waitFor', count, options?.timeout),
    async request(n, options) {
      return (await waitForCount('receiver.request', n, options?.timeout))[n - 1] as ReceivedRequest;
    },
    clear: () => void requests.splice(0),
    [Symbol.asyncDispose]: server.close,
  };
}

/** Turns the error of a response function into a response, so that the attempt shows it. */
function toErrorResponse(error: Error): ReceiverResponseOptions {
  return { status: 500, body: `The receiver could not respond: ${error.message}` };
}

/** The receiver does not know the emulator: its clock, endpoints and deliveries. */
const WAIT_HINT =
  '  Await deliveries.wait() of the emulator or workspace, whose error says why a delivery did not arrive.';

function toTimeoutError(
  call: string,
  count: number,
  requests: readonly ReceivedRequest[],
  timeoutMs: number,
): SvcError {
  const total = formatCount(count, 'request');
  const headline = `${call}: ${requests.length} of ${total} arrived within ${formatDuration(timeoutMs)}.`;
  return new SvcError('timeout', [headline, ...requests.map(describeRequest), WAIT_HINT].join('\n'));
}

/** `  POST /hooks  order.shipped evt_…, invalid signature: …` */
function describeRequest({ method, path, envelope, verification }: ReceivedRequest): string {
  const event = envelope === null ? 'no event' : `${envelope.type} ${envelope.data.id}`;
  const problem =
    verification === null || verification.ok ? '' : `, invalid signature: ${verification.detail}`;
  return `  ${method} ${path}  ${event}${problem}`;
}
