/** Starts and stops the HTTP server. */

import { createServer, type Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type H3, type NodeHandler, toNodeHandler } from 'h3';
import { addBrackets } from '../domain/http-url.ts';
import { SvcError } from '../errors.ts';
import { clearInterval, clearTimeout, monotonic, setInterval, setTimeout } from '../timers.ts';
import type { CertificateFiles, ListenOptions } from './listen-options.ts';
import { rejectMalformedRequest, requireValidHostAndTarget } from './malformed-request.ts';

type Server = HttpServer | HttpsServer;

export interface HttpListener {
  readonly port: number;
  /** `http://host:port` or `https://host:port` */
  readonly url: string;
  /** Certificate in PEM; null without HTTPS. */
  readonly certificate: string | null;
  /** Accepts no new connections. Closes idle ones immediately, and others after their response or five seconds. */
  close(): Promise<void>;
}

/** Time until connections with a request in progress are closed by force. */
const CLOSE_GRACE_MS = 5_000;
const IDLE_SWEEP_INTERVAL_MS = 20;
const CERTIFICATE_DAYS = 365;
/** Time between two reports of connections that cannot be accepted, which can fail many times in a second. */
const REPORT_INTERVAL_MS = 10_000;

/**
 * @param onInternalError called when a connection cannot be accepted
 * @throws SvcError `port_in_use` instead of using another port.
 */
export async function listen(
  app: H3,
  { host, port, https }: ListenOptions,
  onInternalError: (where: string, error: unknown) => void,
): Promise<HttpListener> {
  // For example, no file descriptor is free. Later connections can succeed.
  const onAcceptError = (error: Error) => onInternalError('a connection', error);
  const handler = requireValidHostAndTarget(toNodeHandler(app));
  const { server, certificate } = https
    ? await listenHttps(handler, host, port, https)
    : { server: await listenHttp(handler, host, port), certificate: null };
  server.on('clientError', rejectMalformedRequest);
  server.on('error', throttle(onAcceptError));
  // An unknown `Expect` header is ignored. Node.js would respond without a body.
  server.on('checkExpectation', handler);
  const { port: actualPort } = server.address() as AddressInfo;
  if (port !== 0 && actualPort !== port) {
    await closeServer(server);
    throw createPortError(host, port);
  }
  return {
    port: actualPort,
    url: toOrigin(certificate === null ? 'http' : 'https', host, actualPort),
    certificate,
    close: () => closeServer(server),
  };
}

/** A listener without a server, for an emulator that only this process uses. Its URL has port 0. */
export function createUnboundListener({ host }: ListenOptions): HttpListener {
  return {
    port: 0,
    url: toOrigin('http', host, 0),
    certificate: null,
    close: async () => {},
  };
}

/** An address that clients on this machine can connect to: not all systems accept the unspecified address. */
const REACHABLE_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function toOrigin(scheme: 'http' | 'https', listeningOn: string, port: number): string {
  const host = REACHABLE_ADDRESS[listeningOn] ?? listeningOn;
  return `${scheme}://${addBrackets(host)}:${port}`;
}

/** Calls `report` at most once in {@link REPORT_INTERVAL_MS}. */
function throttle(report: (error: Error) => void): (error: Error) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (monotonic() - reportedAt < REPORT_INTERVAL_MS) return;
    reportedAt = monotonic();
    report(error);
  };
}

// Without listhen, which takes longer to load than the rest of a start.
async function listenHttp(handler: NodeHandler, host: string, port: number): Promise<Server> {
  // The handler rejects a request without `Host`. Node.js would respond without a body. The type of the handler allows HTTP/2 too.
  const server = createServer({ requireHostHeader: false }, handler as Parameters<typeof createServer>[1]);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, host, port)));
    server.listen(port, host, resolve);
  });
  return server;
}

async function listenHttps(
  handler: NodeHandler,
  host: string,
  port: number,
  https: CertificateFiles | true,
): Promise<{ server: Server; certificate: string }> {
  const { listen: listhen } = await import('listhen');
  const domains = [...new Set(['localhost', '127.0.0.1', '::1', host])];
  try {
    const listener = await listhen(handler as Parameters<typeof listhen>[0], {
      hostname: host,
      public: host === '0.0.0.0' || host === '::',
      // It uses another port if this one is in use. The caller checks for that.
      port: { port, ports: [port], alternativePortRange: [port, port], verbose: false },
      https: https === true ? { domains, validityDays: CERTIFICATE_DAYS } : https,
      showURL: false,
      autoClose: false,
      open: false,
      // It prints nothing then.
      isTest: true,
    });
    // Its types are wider: with the option `https`, there is always a certificate.
    return { server: listener.server as Server, certificate: (listener.https as { cert: string }).cert };
  } catch (error) {
    throw https === true
      ? toListenError(error as Error, host, port)
      : toCertificateError(error as Error, https);
  }
}

function closeServer(server: Server): Promise<void> {
  // Without this header, a client could continue to send requests on its connection.
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  // Connections become idle after their response. Clients would keep them open for seconds.
  const sweepTimer = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_INTERVAL_MS);
  const forceTimer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  return new Promise((resolve) => {
    server.close(() => {
      clearInterval(sweepTimer);
      clearTimeout(forceTimer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

const listenProblems: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'this machine does not have the address',
  ENOTFOUND: 'the host name cannot be resolved',
};

function toListenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') return createPortError(host, port, error);
  const problem = listenProblems[error.code ?? ''];
  if (problem !== undefined) {
    return new SvcError('usage', `Cannot listen on ${host}:${port}: ${problem}.`, {
      hint: 'Use another --host or --port.',
      cause: error,
    });
  }
  return error;
}

function createPortError(host: string, port: number, cause?: unknown): SvcError {
  return new SvcError('port_in_use', `Port ${port} on ${host} is already in use.`, {
    hint: `Use any free port with --port 0, or check whether an emulator uses this port with: svc emulator status --url http://${host}:${port}/_svc`,
    cause,
  });
}

function toCertificateError(error: Error, { cert, key }: CertificateFiles): SvcError {
  const { code, path } = error as NodeJS.ErrnoException;
  const problem = code === 'ENOENT' ? `the file ${path} does not exist` : error.message;
  return new SvcError('usage', `Cannot serve HTTPS with ${cert} and ${key}: ${problem}.`, {
    hint: 'Pass two PEM files: a certificate and its private key without a passphrase.',
    cause: error,
  });
}
