/** A port for the app. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type H3, toNodeHandler } from 'h3';
import { SvcError } from '../errors.ts';
import { refuseUnreadable } from './unreadable-request.ts';

export interface Listening {
  readonly port: number;
  /** `http://host:port` */
  readonly url: string;
  /** Takes no new connections, ends the idle ones at once and the others when their answer is sent. */
  close(): Promise<void>;
}

/** How long a connection may take to get its last answer while closing. */
const CLOSE_GRACE_MS = 5_000;
const SWEEP_MS = 20;

/** @throws SvcError `port_in_use`; never another port than the one asked for (0 is any that is free). */
export async function listen(app: H3, host: string, port: number): Promise<Listening> {
  const handler = toNodeHandler(app);
  const server = createServer(handler);
  server.on('clientError', refuseUnreadable);
  // An expectation that is not known is passed over; Node.js would answer without a body.
  server.on('checkExpectation', handler);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, host, port)));
    server.listen(port, host, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    port: taken,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    close: () => close(server),
  };
}

function close(server: Server): Promise<void> {
  // A client that keeps asking on one connection is told with its next answer that there is no other.
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  // Those under way become idle one by one; a client would keep them for seconds.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const giveUp = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  return new Promise((resolve) => {
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(giveUp);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function toListenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new SvcError('port_in_use', `Port ${port} on ${host} is in use.`, {
      hint: `See who has it with \`svc emulator status --url http://${host}:${port}/_svc\`, or take any free port with --port 0.`,
      cause: error,
    });
  }
  if (error.code === 'EACCES' || error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new SvcError('usage', `The emulator cannot listen on ${host}:${port}: ${error.message}.`, {
      hint: 'Choose another --host or --port.',
      cause: error,
    });
  }
  return error;
}
