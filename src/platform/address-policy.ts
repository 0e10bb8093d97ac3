/** Decides which addresses the emulator and the checks of receivers may connect to, and restricts DNS lookups to them. */

import { promises as dns, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { SvcError } from '../domain/errors.ts';
import { addBrackets, parseUrl } from '../domain/http-url.ts';
import {
  classifyAddress,
  classifyHost,
  isLoopbackName,
  toCanonicalAddress,
} from '../domain/network-address.ts';
import { findTargetProblem, needsLookup, type WebhookUrlRule } from '../domain/webhook-url.ts';
import { isOwnAddress } from './own-addresses.ts';

interface Destination {
  readonly protocol: string;
  /** An IP address, or the host name that a proxy resolves. */
  readonly address: string;
  readonly port: number;
}

export class BlockedError extends Error {
  override readonly name = 'BlockedError';
}

/**
 * Why a destination is blocked; null if it is allowed. An emulator is always blocked.
 * @param target the class of the address, or that of a host name that a proxy resolves
 */
export function findBlockReason(
  rule: WebhookUrlRule,
  { protocol, address, port }: Destination,
  target = classifyAddress(address),
): string | null {
  const problem = findTargetProblem(rule, protocol, target);
  if (problem !== null) return `${address} is ${target.description}: the URL ${problem}`;
  if (!isOwnAddress(toCanonicalAddress(address), port)) return null;
  return `${addBrackets(address)}:${port} is the emulator itself: use the address of your receiver`;
}

/**
 * Time to try one address before the next of the same host. The default of Node.js, 250 ms, is too short for distant receivers
 * and for busy machines, where even a connection to loopback can take longer.
 */
export const NEXT_ADDRESS_AFTER_MS = 1_000;

/** Resolves a host name to its addresses in the order to try them. Rejects as `dns.lookup` does. */
export type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

const loopbackAddresses: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** IPv4 first, because IPv6 does not work in many containers. */
const systemLookup: Lookup = (host) => dns.lookup(host, { all: true, order: 'ipv4first' });

/**
 * A lookup for the `connect` of Node.js, which returns only allowed addresses and fails if none is allowed. Node.js connects to
 * these addresses, so a name that resolves to another address later (DNS rebinding) has no effect.
 *
 * @param findReason returns why an address is blocked; null if it is allowed
 */
export function createPolicyLookup(
  findReason: (address: string) => string | null,
  lookup: Lookup = systemLookup,
): LookupFunction {
  return (host, { all }, done) => {
    resolveAddresses(host, lookup).then(
      (addresses) => {
        const reasons = addresses.map(({ address }) => findReason(address));
        const allowed = addresses.filter((_, index) => reasons[index] === null);
        const [first] = allowed;
        if (first === undefined)
          done(new BlockedError(`${host} has no allowed address: ${reasons.join('; ')}`), []);
        else if (all) done(null, allowed);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, []),
    );
  };
}

/** Names that end in `localhost` are always this machine (RFC 6761, section 6.3), without asking a resolver. */
async function resolveAddresses(host: string, lookup: Lookup): Promise<readonly LookupAddress[]> {
  return isLoopbackName(host) ? loopbackAddresses : lookup(host);
}

/**
 * Checks that a name in a plain HTTP URL resolves to loopback and private addresses only, under the rule `local` (gap
 * `webhook.url`). Call it for a URL that `findWebhookUrlProblem` accepts. Each connection checks its address again.
 * @param subject how the message calls the URL @throws SvcError `validation_failed`
 */
export async function assertLocalHost(
  subject: string,
  text: string,
  rule: WebhookUrlRule,
  lookup: Lookup = systemLookup,
): Promise<void> {
  const url = parseUrl(text);
  if (url === null || !needsLookup(rule, url)) return;
  const { protocol, hostname } = url;
  const addresses = await lookup(hostname).catch(() => []);
  const createError = (problem: string | null, reason: string) =>
    new SvcError('validation_failed', `${subject} ${problem} (${hostname} ${reason}).`);
  for (const { address } of addresses) {
    const target = classifyAddress(address);
    const problem = findTargetProblem(rule, protocol, target);
    if (problem !== null) throw createError(problem, `resolves to ${address}, ${target.description}`);
  }
  if (addresses.length > 0) return;
  throw createError(findTargetProblem(rule, protocol, classifyHost(hostname)), 'does not resolve');
}
