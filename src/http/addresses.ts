/** Where the parts of the emulator are reached: at the address that it listens on, or at the one that leads there. */
import { classifyHost } from '../domain/address.ts';

export interface Addresses {
  /** Ends in `/v1` (§9 of the service description). */
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly dashboardUrl: string;
}

/**
 * @param url what it listens on
 * @param publicUrl the address of a tunnel or a reverse proxy that leads there; null without one
 */
export function toAddresses(url: string, publicUrl: string | null): Addresses {
  const controlOrigin = publicUrl !== null && mayCarryControl(publicUrl) ? publicUrl : url;
  return {
    baseUrl: `${publicUrl ?? url}/v1`,
    controlUrl: `${controlOrigin}/_svc`,
    dashboardUrl: `${controlOrigin}/`,
  };
}

/**
 * Whether the control plane may be had at an address. It asks for no key and tells every secret, so it is for names
 * of this machine and its network alone.
 */
export function mayCarryControl(publicUrl: string): boolean {
  return classifyHost(new URL(publicUrl).hostname).kind !== 'public';
}
