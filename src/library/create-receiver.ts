/** A receiver for tests: a real HTTP server that keeps what it gets, and answers as it is told. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { formatDuration } from '../domain/duration.ts';
import { SvcError } from '../errors.ts';
import { clearTimeout, setTimeout } from '../timers.ts';
import { AnswersSchema, ReceiverOptionsSchema, receiverParameters } from './argument-schemas.ts';
import { checkArguments } from './check-arguments.ts';
import { DEFAULT_TIMEOUT_MS } from './default-timeout.ts';
import { type Duration, toMs } from './duration-argument.ts';
import { requireRealTimers } from './real-timers.ts';
import { type ReceivedRequest, readReceivedRequest, type Verification } from './received-request.ts';
import {
  type Answers,
  type DetailedAnswer,
  ResponseScript,
  type ScheduleClockReader,
} from './receiver-responses.ts';

export interface ReceiverOptions extends Partial<Verification> {
  /** 0, the default, is any free port. */
  readonly port?: number;
  /** Serves HTTPS with these, in PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** How long {@link Receiver.waitFor} and {@link Receiver.nth} wait, in real time (default: 4 seconds). */
  readonly timeout?: Duration;
  /** The schedule clock for answers with `downFor`: that of a workspace. */
  readonly clock?: ScheduleClockReader;
}

export interface ReceiverWaitOptions {
  /** In real time (default: that of the receiver). */
  readonly timeout?: Duration;
}

export interface Receiver extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, or `https://localhost:<port>` with a certificate. */
  readonly url: string;
  readonly port: number;
  /** Every request so far, in the order in which they were complete. */
  readonly requests: readonly ReceivedRequest[];
  /** Answers differently from now on; what an array says is counted from the next request. */
  respond(answers: Answers): void;
  /** The same for the events of one type, which the general answers are then not counted for. */
  respondTo(type: string, answers: Answers): void;
  /** Verifies what comes from now on by this secret, the one that the endpoint had in its creation response. */
  verifyWith(secret: Verification['secret']): void;
  /** Resolves to the first `count` requests once they are there; rejects with those that are after `timeout`. */
  waitFor(count: number, options?: ReceiverWaitOptions): Promise<readonly ReceivedRequest[]>;
  /** Resolves to the n-th request, counted from 1, once it is there. */
  nth(n: number, options?: ReceiverWaitOptions): Promise<ReceivedRequest>;
  /** Forgets the requests so far. */
  clear(): void;
  close(): Promise<void>;
}

/**
 * Listens on 127.0.0.1 and answers 200 unless told otherwise.
 * @throws SvcError `usage` for answers or options that are unknown or invalid.
 */
export async function createReceiver(
  answers: Answers = 200,
  options: ReceiverOptions = {},
): Promise<Receiver> {
  checkArguments('createReceiver', { answers: AnswersSchema, options: ReceiverOptionsSchema }, [
    answers,
    options,
  ]);
  const {
    port: wantedPort = 0,
    certificate,
    timeout: patience = DEFAULT_TIMEOUT_MS,
    clock,
    ...checks
  } = options;
  requireRealTimers();
  const requests: ReceivedRequest[] = [];
  const waiters = new Set<() => void>();
  const scriptsByType = new Map<string, ResponseScript>();
  let script = new ResponseScript(answers, 'createReceiver', clock);
  let { secret } = checks;

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readReceivedRequest(incoming, secret === undefined ? null : { ...checks, secret });
    const own = scriptsByType.get(request.envelope?.type ?? '') ?? script;
    requests.push(request);
    for (const waiter of waiters) waiter();
    await answer(response, await own.next(request).catch(toFailure));
  }

  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    serve(incoming, response).catch((error: Error) => response.destroy(error));
  };
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(wantedPort, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  async function waitFor(...args: Parameters<Receiver['waitFor']>): Promise<readonly ReceivedRequest[]> {
    checkArguments('waitFor', receiverParameters.waitFor, args);
    return waitUntil(args[0], toMs(args[1]?.timeout ?? patience));
  }

  function waitUntil(count: number, timeoutMs: number): Promise<readonly ReceivedRequest[]> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiters.delete(check);
        reject(waitedInVain(count, requests, timeoutMs));
      }, timeoutMs);
      const check = () => {
        if (requests.length < count) return;
        clearTimeout(timer);
        waiters.delete(check);
        resolve(requests.slice(0, count));
      };
      waiters.add(check);
      check();
    });
  }

  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });

  return {
    url: certificate ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    port,
    requests,
    respond(next) {
      checkArguments('respond', receiverParameters.respond, [next]);
      script = new ResponseScript(next, 'respond', clock);
    },
    respondTo(type, next) {
      checkArguments('respondTo', receiverParameters.respondTo, [type, next]);
      scriptsByType.set(type, new ResponseScript(next, 'respondTo', clock));
    },
    verifyWith(next) {
      checkArguments('verifyWith', receiverParameters.verifyWith, [next]);
      secret = next;
    },
    waitFor,
    async nth(...args) {
      checkArguments('nth', receiverParameters.nth, args);
      const [n, options] = args;
      return (await waitFor(n, options))[n - 1] as ReceivedRequest;
    },
    clear: () => void requests.splice(0),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The error of an answer function becomes the response, so that the attempt shows it. */
function toFailure(error: Error): DetailedAnswer {
  return { status: 500, body: `The answer function of the receiver failed: ${error.message}` };
}

async function answer(
  response: ServerResponse,
  { status = 200, headers, body, delayMs = 0, after, drop }: DetailedAnswer,
): Promise<void> {
  await after;
  if (delayMs > 0) await new Promise<void>((resolve) => void setTimeout(resolve, delayMs));
  if (drop) response.destroy();
  else response.writeHead(status, headers).end(body);
}

function waitedInVain(count: number, requests: readonly ReceivedRequest[], timeoutMs: number): SvcError {
  const head = `${requests.length} of ${count} requests arrived within ${formatDuration(timeoutMs)}.`;
  return new SvcError('timeout', [head, ...requests.map(describe)].join('\n'));
}

/** `  POST /hooks  order.shipped evt_…, refused: The signature was made with another secret.` */
function describe({ method, path, envelope, verification }: ReceivedRequest): string {
  const event = envelope === null ? 'no event' : `${envelope.type} ${envelope.data.id}`;
  const refusal = verification === null || verification.ok ? '' : `, not genuine: ${verification.detail}`;
  return `  ${method} ${path}  ${event}${refusal}`;
}
