/** The URLs of the emulator: at the address that it listens on, or behind a proxy or tunnel. */
import { networkInterfaces } from 'node:os';
import { classifyAddress, classifyHost } from '../domain/address.ts';
import type { ListenOptions } from './listen-options.ts';

export interface EmulatorUrls {
  /** Ends in `/v1` (§9 of the service description). */
  readonly baseUrl: string;
  readonly controlUrl: string;
  /** Includes the token. */
  readonly dashboardUrl: string;
}

/**
 * @param url URL of the address that the emulator listens on
 * @param publicUrl URL of a tunnel or a reverse proxy; null without one
 * @param controlToken token that the control plane requires; null for none
 */
export function toEmulatorUrls(
  url: string,
  publicUrl: string | null,
  controlToken: string | null,
): EmulatorUrls {
  const controlOrigin = publicUrl !== null && canServeControlPlane(publicUrl) ? publicUrl : url;
  return {
    baseUrl: `${publicUrl ?? url}/v1`,
    controlUrl: `${controlOrigin}/_svc`,
    dashboardUrl: `${controlOrigin}/${controlToken === null ? '' : `?token=${controlToken}`}`,
  };
}

/** Whether the control plane may be served at this URL: never at a public host, because it shows secrets. */
export function canServeControlPlane(publicUrl: string): boolean {
  return classifyHost(new URL(publicUrl).hostname).kind !== 'public';
}

/** Whether no other machine can reach an emulator with these options. */
export function isLoopbackOnly({ host, publicUrl, tunnel }: ListenOptions): boolean {
  const hosts = publicUrl ? [host, new URL(publicUrl).hostname] : [host];
  return !tunnel && hosts.every((name) => classifyHost(name).kind === 'loopback');
}

/** Whether connections to `address` reach a server that listens on `host`. */
export function reaches(host: string, address: string): boolean {
  if (address === host || classifyAddress(address).kind === 'loopback') return true;
  if (host !== '0.0.0.0' && host !== '::') return false;
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some((entry) => entry.address === address),
  );
}
