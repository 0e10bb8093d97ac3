/** Warns when nothing listens at a receiver URL: many users start their receiver after the emulator. */
import { connect } from 'node:net';
import { getPort, stripBrackets } from '../domain/http-url.ts';
import { isLoopbackName } from '../domain/network-address.ts';
import type { NoteOutput } from './process-context.ts';
import { printHint, printWarning } from './report-error.ts';

const CONNECT_TIMEOUT_MS = 2_000;
/** Errors that prove that nothing listens. Others, such as `EMFILE` or a blocked network, say nothing about the receiver. */
const NOT_LISTENING_CODES = ['ECONNREFUSED', 'ENOTFOUND'];

export async function warnIfNotListening(url: string, io: NoteOutput): Promise<void> {
  if (await couldBeListening(url)) return;
  printWarning(`Nothing is listening at ${url} yet.`, io);
  printHint('Start your receiver. Deliveries that fail until then are retried.', io);
}

/** False only if it is certain that nothing is listening. */
export async function couldBeListening(address: string): Promise<boolean> {
  const url = new URL(address);
  const { hostname } = url;
  const host = isLoopbackName(hostname) ? 'localhost' : stripBrackets(hostname);
  const socket = connect({ host, port: getPort(url) });
  return new Promise<boolean>((resolve) => {
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => resolve(true));
    socket.once('connect', () => resolve(true));
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) =>
      resolve(!NOT_LISTENING_CODES.includes(code)),
    );
  }).finally(() => socket.destroy());
}
