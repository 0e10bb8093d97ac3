/** Whether anything listens where the emulator is to deliver: most newcomers start their receiver second. */
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { isLoopbackName } from '../domain/address.ts';
import type { NoteOutput } from './io.ts';
import { printHint } from './render/hint.ts';
import { styleFor } from './render/style.ts';

const POLL_INTERVAL_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;
/** What says for sure that nothing listens; anything else may lie at this machine, or its way through a proxy. */
const NOT_LISTENING_CODES = ['ECONNREFUSED', 'ENOTFOUND'];

/** Warns when nothing listens at `url`. @returns whether it did. */
export async function warnIfNotListening(url: string, io: NoteOutput): Promise<boolean> {
  if (await couldBeListening(url)) return false;
  io.note(`${styleFor(io.noteCapabilities).yellow('warning:')} Nothing listens at ${url} yet.`);
  printHint('Start your receiver there. What cannot be delivered until then is tried again.', io);
  return true;
}

/** The same, and says so when that has changed. Ends with that, or when `signal` is aborted. */
export async function watchReceiver(
  url: string,
  { io, signal }: { readonly io: NoteOutput; readonly signal: AbortSignal },
): Promise<void> {
  let isSilent = await warnIfNotListening(url, io);
  while (isSilent) {
    await pause(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    isSilent = !(await couldBeListening(url));
    if (isSilent) continue;
    io.note(`Something listens at ${url} now.`);
    printHint('svc clock next sends at once what waits to be tried again.', io);
  }
}

/** False when it is certain that nothing does. */
export async function couldBeListening(address: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(address);
  const host = isLoopbackName(hostname) ? 'localhost' : hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) });
  return new Promise<boolean>((resolve) => {
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => resolve(true));
    socket.once('connect', () => resolve(true));
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) =>
      resolve(!NOT_LISTENING_CODES.includes(code)),
    );
  }).finally(() => socket.destroy());
}
