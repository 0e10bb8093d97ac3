/** Where the emulator and its checks may connect: asked about the very address that is dialled next, whatever name led to it. */
import { isIPv6 } from 'node:net';
import { type AddressClass, classifyAddress, classifyHost, toCanonicalAddress } from '../domain/address.ts';
import { findTargetProblem, type WebhookUrlRule } from '../domain/webhook-url.ts';

export interface AddressPolicy {
  readonly rule: WebhookUrlRule;
  /** Whether the emulator itself listens there: a delivery to it could cause the next one, without end. */
  readonly isOwnAddress: (address: string, port: number) => boolean;
}

export interface Destination {
  readonly protocol: string;
  readonly address: string;
  readonly port: number;
}

/** A connection that the policy does not allow. Never thrown: undici carries it to the result of the attempt. */
export class BlockedError extends Error {
  override readonly name = 'BlockedError';
}

/** Why nothing may be sent there, in words; null when it may. */
export function findBlockReason(policy: AddressPolicy, destination: Destination): string | null {
  return findRefusalOf(policy, destination, classifyAddress(destination.address));
}

/** The same for a destination that a proxy will resolve: its host, judged by its form. */
export function findHostBlockReason(policy: AddressPolicy, destination: Destination): string | null {
  return findRefusalOf(policy, destination, classifyHost(destination.address));
}

function findRefusalOf(
  policy: AddressPolicy,
  { protocol, address, port }: Destination,
  target: AddressClass,
): string | null {
  const objection = findTargetProblem(policy.rule, protocol, target);
  if (objection !== null)
    return `${address} is ${target.description}: the address of an endpoint ${objection}`;
  if (!policy.isOwnAddress(toCanonicalAddress(address), port)) return null;
  return `${formatAuthority(address, port)} is this emulator itself: point the endpoint to your receiver`;
}

/** `address:port`, with the brackets that an IPv6 address needs. */
export function formatAuthority(address: string, port: number): string {
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
}
