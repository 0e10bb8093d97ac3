/** The addresses of emulators. Nothing is sent to them: a delivery could cause the next one, and a check could use the control plane. */
import { networkInterfaces } from 'node:os';
import { SvcError } from '../domain/errors.ts';
import { getPort, stripBrackets } from '../domain/http-url.ts';
import { classifyAddress, isLoopbackName, toCanonicalAddress } from '../domain/network-address.ts';

interface ListenAddress {
  /** The host that the emulator listens on. */
  readonly host: string;
  readonly port: number;
}

const emulators = new Set<ListenAddress>();

/** Adds an emulator of this process. @returns a function that removes it */
export function addOwnAddress(emulator: ListenAddress): () => void {
  emulators.add(emulator);
  return () => emulators.delete(emulator);
}

/** Adds an emulator of another process, which a command uses. @returns a function that removes it */
export function addOwnUrl(url: string): () => void {
  const parsed = new URL(url);
  return addOwnAddress({ host: stripBrackets(parsed.hostname), port: getPort(parsed) });
}

/** Whether an emulator that was added listens at an address. */
export function isOwnAddress(address: string, port: number): boolean {
  return [...emulators].some((emulator) => emulator.port === port && reaches(emulator.host, address));
}

/** Whether an emulator that was added is at this URL. Names are not resolved, except those of this machine. */
export function isOwnUrl(url: string): boolean {
  const parsed = new URL(url);
  const { hostname } = parsed;
  const address = isLoopbackName(hostname) ? '127.0.0.1' : toCanonicalAddress(stripBrackets(hostname));
  return isOwnAddress(address, getPort(parsed));
}

/** @throws SvcError `usage` for a URL of an emulator that was added */
export function assertNotEmulator(url: string): void {
  if (!isOwnUrl(url)) return;
  throw new SvcError('usage', `${url} is a URL of the emulator itself.`, {
    hint: 'Pass the URL of your receiver.',
  });
}

/** Whether connections to `address` can reach a server that listens on `host`. Loopback addresses always count. */
function reaches(host: string, address: string): boolean {
  if (address === host || classifyAddress(address).kind === 'loopback') return true;
  if (host !== '0.0.0.0' && host !== '::') return false;
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some((entry) => entry.address === address),
  );
}
