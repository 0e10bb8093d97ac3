/** Warns when nothing listens at a receiver URL: many users start their receiver after the emulator. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from '../contract/control-plane.ts';
import { getPort, stripBrackets } from '../domain/http-url.ts';
import { isLoopbackName } from '../domain/network-address.ts';
import type { NoteOutput } from './process-context.ts';
import { printHint, printWarning } from './report-error.ts';

const POLL_INTERVAL_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;
/** Errors that prove that nothing listens. Others, such as `EMFILE` or a blocked network, say nothing about the receiver. */
const NOT_LISTENING_CODES = ['ECONNREFUSED', 'ENOTFOUND'];

/** @returns whether it warned */
export async function warnIfNotListening(url: string, io: NoteOutput): Promise<boolean> {
  if (await couldBeListening(url)) return false;
  printWarning(`Nothing is listening at ${url} yet.`, io);
  printHint('Start your receiver. Deliveries that fail until then are retried.', io);
  return true;
}

/**
 * Like {@link warnIfNotListening}, and reports when something listens, with the next step if a delivery to it has failed. Ends
 * then, or when `signal` is aborted.
 */
export async function waitForReceiver(
  url: string,
  control: Pick<ControlPlane, 'listDeliveries'>,
  { io, signal }: { readonly io: NoteOutput; readonly signal: AbortSignal },
): Promise<void> {
  if (!(await warnIfNotListening(url, io))) return;
  do {
    await sleep(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
  } while (!(await couldBeListening(url)));
  io.note(`${url} is listening now.`);
  const failing = await control.listDeliveries({ status: 'failing' }).catch(() => null);
  if (failing?.data.some((delivery) => delivery.url === url))
    printHint({ text: 'Send the pending retry now', command: 'svc clock next' }, io);
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
