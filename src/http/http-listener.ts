/** Starts and stops the HTTP server. */

import { createServer as createHttpServer, type Server as HttpServer, type RequestListener } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { type H3, toNodeHandler } from 'h3';
import { SvcError } from '../domain/errors.ts';
import { addBrackets, toReachableHost } from '../domain/http-url.ts';
import { addOwnAddress } from '../platform/own-addresses.ts';
import { readLimitedFile } from '../platform/read-limited-file.ts';
import { clearInterval, clearTimeout, monotonic, setInterval, setTimeout } from '../platform/timers.ts';
import { trackSockets } from '../platform/track-sockets.ts';
import type { CertificateFiles, ListenOptions } from './listen-options.ts';
import { rejectMalformedRequest, requireValidHostAndTarget } from './malformed-request.ts';

type Server = HttpServer | HttpsServer;

export interface HttpListener {
  readonly port: number;
  /** `http://host:port` or `https://host:port` */
  readonly url: string;
  /** Certificate in PEM; null without HTTPS. */
  readonly certificate: string | null;
  /** Handles requests with `app`, including those that are waiting because they arrived before. */
  serve(app: H3): void;
  /** Accepts no new connections. Closes idle ones immediately, and others after their response or five seconds. */
  close(): Promise<void>;
}

/** Time until connections with a request in progress are closed by force. */
const CLOSE_GRACE_MS = 5_000;
/** With the 5 seconds of Node.js, a busy client often sends a request while its idle connection is being closed. */
const KEEP_ALIVE_MS = 60_000;
const IDLE_SWEEP_INTERVAL_MS = 20;
const CERTIFICATE_DAYS = 365;
/** Time between two reports of connections that cannot be accepted, which can fail many times in a second. */
const REPORT_INTERVAL_MS = 10_000;

/**
 * @param onInternalError called when a connection cannot be accepted
 * @throws SvcError `port_in_use` instead of using another port.
 */
export async function listen(
  { host, port, https }: ListenOptions,
  onInternalError: (where: string, error: unknown) => void,
): Promise<HttpListener> {
  const waiting: Parameters<RequestListener>[] = [];
  const keepWaiting: RequestListener = (...request) => void waiting.push(request);
  const { server, certificate } = https
    ? await startHttps(keepWaiting, host, port, https)
    : { server: await startHttp(keepWaiting, host, port), certificate: null };
  const sockets = trackSockets(server);
  // For example, no file descriptor is free. Later connections can succeed.
  server.on(
    'error',
    throttle((error) => onInternalError('a connection', error)),
  );
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const { port: actualPort } = server.address() as AddressInfo;
  const removeOwnAddress = addOwnAddress({ host, port: actualPort });
  return {
    port: actualPort,
    url: toOrigin(certificate === null ? 'http' : 'https', host, actualPort),
    certificate,
    serve(app) {
      // `NodeHandler` also allows HTTP/2.
      const handler = requireValidHostAndTarget(toNodeHandler(app)) as RequestListener;
      server.off('request', keepWaiting).on('request', handler);
      // An unknown `Expect` header is ignored. Node.js would respond without a body.
      server.on('checkExpectation', handler);
      server.on('clientError', rejectMalformedRequest);
      for (const [request, response] of waiting.splice(0)) {
        // The client has left. Reading the body would never end.
        if (!request.destroyed) handler(request, response);
      }
    },
    close() {
      for (const [request] of waiting) request.destroy();
      return closeServer(server, sockets).finally(removeOwnAddress);
    },
  };
}

function toOrigin(scheme: 'http' | 'https', listeningOn: string, port: number): string {
  return `${scheme}://${addBrackets(toReachableHost(listeningOn))}:${port}`;
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

async function startHttp(handler: RequestListener, host: string, port: number): Promise<HttpServer> {
  // Our handler rejects a request without `Host`. Node.js would respond without a body.
  const server = createHttpServer({ requireHostHeader: false }, handler);
  await bind(server, host, port);
  return server;
}

/** Starts a server with listhen, which also generates the certificate. */
async function startHttps(
  handler: RequestListener,
  host: string,
  port: number,
  files: CertificateFiles | true,
): Promise<{ server: Server; certificate: string }> {
  if (files !== true) checkCertificate(files);
  const domains = [...new Set(['localhost', '127.0.0.1', '::1', host])];
  const https =
    files === true
      ? { domains, validityDays: CERTIFICATE_DAYS }
      : { cert: resolve(files.cert), key: resolve(files.key) };
  // It takes longer to load than the rest of a start.
  const { listen: listhen } = await import('listhen');
  const address = await findFreeAddress(host, port);
  const listener = await listhen(handler, {
    hostname: address.address,
    port: address.port,
    // Otherwise it would use another address.
    public: ANY_ADDRESSES.has(address.address),
    https,
    autoClose: false,
    // Then it prints and opens nothing.
    isTest: true,
  });
  if (listener.address.port !== address.port) {
    await listener.close();
    throw createListenError(host, port, 'browsers block this port, or another program has just taken it');
  }
  // Its types are wider: with the option `https`, there is always a certificate.
  const { cert } = listener.https as { cert: string };
  return { server: listener.server as Server, certificate: cert };
}

const ANY_ADDRESSES = new Set(['0.0.0.0', '::']);

/**
 * The address that a server gets. listhen would use another port if this one is taken.
 * @throws SvcError as {@link listen}
 */
async function findFreeAddress(host: string, port: number): Promise<AddressInfo> {
  const server = createNetServer();
  await bind(server, host, port);
  const address = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return address;
}

/** @throws SvcError `usage` if the files are not a certificate and its key */
function checkCertificate(files: CertificateFiles): void {
  if ([files.cert, files.key].some((path) => path.startsWith('-----BEGIN'))) {
    throw new SvcError('usage', 'The option https needs the paths of two PEM files, not their contents.');
  }
  try {
    const [cert, key] = [readLimitedFile(files.cert).toString(), readLimitedFile(files.key).toString()];
    // Throws if they are invalid or do not match.
    createSecureContext({ cert, key });
  } catch (error) {
    throw toCertificateError(error as Error, files);
  }
}

function bind(server: NetServer, host: string, port: number): Promise<void> {
  return new Promise((bound, reject) => {
    const fail = (error: Error) => reject(toListenError(error, host, port));
    server.once('error', fail).listen(port, host, () => {
      server.off('error', fail);
      bound();
    });
  });
}

function closeServer(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  // Without this header, a client could continue to send requests on its connection.
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  // Connections become idle after their response. Clients would keep them open for seconds.
  const sweepTimer = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_INTERVAL_MS);
  const forceTimer = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, CLOSE_GRACE_MS);
  return new Promise((resolve) => {
    server.close(() => {
      clearInterval(sweepTimer);
      clearTimeout(forceTimer);
      resolve();
    });
  });
}

const listenProblems: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'this machine does not have the address',
  ENOTFOUND: 'the host name cannot be resolved',
};

/** Converts the error of a server that cannot use its address; returns any other error unchanged. */
export function toListenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new SvcError('port_in_use', `Port ${port} on ${host} is already in use.`, {
      hint: {
        text: 'Use port 0 for any free port, or check whether an emulator uses this port',
        command: `svc emulator status --url ${toOrigin('http', host, port)}/_svc`,
      },
      cause: error,
    });
  }
  const problem = listenProblems[error.code ?? ''];
  return problem === undefined ? error : createListenError(host, port, problem, error);
}

function createListenError(host: string, port: number, problem: string, cause?: unknown): SvcError {
  return new SvcError('usage', `Cannot listen on ${host}:${port}: ${problem}.`, {
    hint: 'Use another host or port.',
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
