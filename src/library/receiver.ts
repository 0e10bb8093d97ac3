/** A receiver for tests: a real HTTP server that keeps what it gets, and answers as it is told. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { formatDuration } from '../domain/duration.ts';
import { SvcError } from '../errors.ts';
import { clearTimeout, setTimeout } from '../timers.ts';
import { PATIENCE_MS } from './patience.ts';
import { requireRealTimers } from './real-timers.ts';
import { type ReceivedRequest, readReceivedRequest, type Verification } from './received-request.ts';
import { AnswerScript, type Answers, type DetailedAnswer } from './receiver-answers.ts';

export interface ReceiverOptions extends Partial<Verification> {
  /** 0, the default, is any free port. */
  readonly port?: number;
  /** Serves HTTPS with these, in PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** How long {@link Receiver.waitFor} and {@link Receiver.nth} wait unless they are told; 4 seconds when left out. */
  readonly timeoutMs?: number;
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
  /** Resolves to the first `count` requests once they are there; rejects with those that are after `timeoutMs`. */
  waitFor(count: number, timeoutMs?: number): Promise<readonly ReceivedRequest[]>;
  /** Resolves to the n-th request, counted from 1, once it is there. */
  nth(n: number, timeoutMs?: number): Promise<ReceivedRequest>;
  /** Forgets the requests so far. */
  clear(): void;
  close(): Promise<void>;
}

/** Listens on 127.0.0.1 and answers 200 unless told otherwise. */
export async function createReceiver(
  answers: Answers = 200,
  { port: wantedPort = 0, certificate, timeoutMs: patienceMs = PATIENCE_MS, ...checks }: ReceiverOptions = {},
): Promise<Receiver> {
  requireRealTimers();
  const requests: ReceivedRequest[] = [];
  const waiters = new Set<() => void>();
  const scriptsByType = new Map<string, AnswerScript>();
  let script = new AnswerScript(answers);
  let { secret } = checks;

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readReceivedRequest(incoming, secret === undefined ? null : { ...checks, secret });
    const own = scriptsByType.get(request.envelope?.type ?? '') ?? script;
    requests.push(request);
    for (const waiter of waiters) waiter();
    await answer(response, await own.next(request));
  }

  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    serve(incoming, response).catch((error: Error) => response.destroy(error));
  };
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(wantedPort, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  function waitFor(count: number, timeoutMs = patienceMs): Promise<readonly ReceivedRequest[]> {
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
      script = new AnswerScript(next);
    },
    respondTo: (type, next) => void scriptsByType.set(type, new AnswerScript(next)),
    verifyWith(next) {
      secret = next;
    },
    waitFor,
    async nth(n, timeoutMs) {
      const request = (await waitFor(n, timeoutMs))[n - 1];
      if (request !== undefined) return request;
      throw new SvcError('usage', `There is no request ${n}: they are counted from 1.`);
    },
    clear: () => void requests.splice(0),
    close,
    [Symbol.asyncDispose]: close,
  };
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
