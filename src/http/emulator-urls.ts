/** Where the parts of the emulator are reached: at the address that it listens on, or at the one that leads there. */
import { networkInterfaces } from 'node:os';
import { classifyAddress, classifyHost } from '../domain/address.ts';
import type { ListenOptions } from './listen-options.ts';

export interface EmulatorUrls {
  /** Ends in `/v1` (§9 of the service description). */
  readonly baseUrl: string;
  readonly controlUrl: string;
  /** A link that brings the token along. */
  readonly dashboardUrl: string;
}

/**
 * @param url what it listens on
 * @param publicUrl the address of a tunnel or a reverse proxy that leads there; null without one
 * @param controlToken what the control plane asks for; null for nothing
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

/**
 * Whether the control plane may be had at an address. It tells every secret, so it is for names of this machine and
 * its network alone.
 */
export function canServeControlPlane(publicUrl: string): boolean {
  return classifyHost(new URL(publicUrl).hostname).kind !== 'public';
}

/** Whether no other machine can reach an emulator that listens there, as far as it was told. */
export function isLoopbackOnly({ host, publicUrl, tunnel }: ListenOptions): boolean {
  const hosts = publicUrl ? [host, new URL(publicUrl).hostname] : [host];
  return !tunnel && hosts.every((each) => classifyHost(each).kind === 'loopback');
}

/** Whether connections to `address` arrive at a server that listens on `host`. */
export function reaches(host: string, address: string): boolean {
  if (address === host || classifyAddress(address).kind === 'loopback') return true;
  if (host !== '0.0.0.0' && host !== '::') return false;
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some((entry) => entry.address === address),
  );
}
