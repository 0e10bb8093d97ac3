/** A receiver for tests: a real HTTP server that keeps what it gets and answers as it is told. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from './certificates.ts';

export interface ReceivedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Wall time at which it was complete, milliseconds since 1970. */
  readonly at: number;
}

/** How to answer one request. */
export interface ReceiverAnswer {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
  /** Answers only when it has resolved. */
  readonly after?: Promise<unknown>;
  /** Closes the connection instead. */
  readonly drop?: boolean;
}

/** The same answer always; one for each request in turn, the last of them from then on; or what a function says. */
export type ReceiverScript =
  | ReceiverAnswer
  | readonly ReceiverAnswer[]
  | ((request: ReceivedRequest, index: number) => ReceiverAnswer | Promise<ReceiverAnswer>);

export interface Receiver extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, or `https://localhost:<port>` with a certificate. */
  readonly url: string;
  readonly port: number;
  /** Every request so far, in the order in which they were complete. */
  readonly requests: readonly ReceivedRequest[];
  /** Answers differently from now on; what an array says is counted from the next request. */
  respond(script: ReceiverScript): void;
  /** Resolves to the first `count` requests once they are there; rejects after `timeoutMs`, by default 10 000. */
  waitFor(count: number, timeoutMs?: number): Promise<readonly ReceivedRequest[]>;
  close(): Promise<void>;
}

export interface ReceiverOptions {
  /** 0, the default, is any free port. */
  readonly port?: number;
  /** Serves HTTPS. */
  readonly certificate?: Certificate;
}

export async function createReceiver(
  script: ReceiverScript = {},
  { port: wantedPort = 0, certificate }: ReceiverOptions = {},
): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const waiters = new Set<() => void>();
  let answerFor = toFunction(script);
  let answered = 0;

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    const index = answered++;
    requests.push(request);
    for (const waiter of waiters) waiter();
    await answer(response, await answerFor(request, index));
  }

  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    serve(incoming, response).catch((error: Error) => response.destroy(error));
  };
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(wantedPort, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

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
      answerFor = toFunction(next);
      answered = 0;
    },
    waitFor(count, timeoutMs = 10_000) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiters.delete(check);
          reject(new Error(`${requests.length} of ${count} requests arrived within ${timeoutMs} ms`));
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
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

type AnswerFunction = Extract<ReceiverScript, (...args: never[]) => unknown>;

function toFunction(script: ReceiverScript): AnswerFunction {
  if (typeof script === 'function') return script;
  const answers: readonly ReceiverAnswer[] = Array.isArray(script) ? script : [script];
  return (_request, index) => answers[Math.min(index, answers.length - 1)] ?? {};
}

async function readRequest(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const { method = '', url = '', headers, rawHeaders } = incoming;
  return { method, path: url, headers, rawHeaders, body: Buffer.concat(chunks), at: Date.now() };
}

async function answer(
  response: ServerResponse,
  { status, headers, body, after, drop }: ReceiverAnswer,
): Promise<void> {
  await after;
  if (drop) response.destroy();
  else response.writeHead(status ?? 200, headers).end(body);
}
