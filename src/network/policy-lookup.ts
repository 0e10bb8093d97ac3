/** Name resolution that returns checked addresses only, for whatever connects to a receiver. */
import { promises as dns, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isLoopbackName } from '../domain/address.ts';
import { BlockedError } from './address-policy.ts';

/** Every address of a host name, in the order in which to try them; rejects as `dns.lookup` does. */
export type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

const loopbackAddresses: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** IPv4 first: where IPv6 leads nowhere, as in many containers, nothing waits for it. */
const systemLookup: Lookup = (host) => dns.lookup(host, { all: true, order: 'ipv4first' });

/**
 * The lookup that Node's connect calls and whose result it dials: no second one follows, so a name that resolves to
 * something else a moment later (DNS rebinding) gains nothing. Refused addresses are left out; the connection fails
 * when none is left.
 *
 * @param refusalOf why nothing may be sent to an address; null when it may
 */
export function createPolicyLookup(
  refusalOf: (address: string) => string | null,
  lookup: Lookup = systemLookup,
): LookupFunction {
  return (host, { all }, done) => {
    resolve(host, lookup).then(
      (addresses) => {
        const refusals = addresses.map(({ address }) => refusalOf(address));
        const allowed = addresses.filter((_, index) => refusals[index] === null);
        const [first] = allowed;
        if (first === undefined)
          done(new BlockedError(`${host} has no address that is allowed: ${refusals.join('; ')}`), []);
        else if (all) done(null, allowed);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, []),
    );
  };
}

/** Names that end in `localhost` are this machine by definition (RFC 6761, section 6.3); no resolver is asked. */
async function resolve(host: string, lookup: Lookup): Promise<readonly LookupAddress[]> {
  return isLoopbackName(host) ? loopbackAddresses : lookup(host);
}
