/** Opens the connections of the dialer: a host is resolved once, and what is dialled is a checked address of it. */
import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import { systemClock } from '../clock/wall-clock.ts';
import { type HttpProxy, usesProxy } from '../domain/http-proxy.ts';
import {
  type AddressPolicy,
  BlockedError,
  findBlockReason,
  findHostBlockReason,
  formatAuthority,
} from '../network/address-policy.ts';
import { createPolicyLookup, type Lookup } from '../network/policy-lookup.ts';
import { connectThroughProxy } from './proxy-tunnel.ts';
import { loadUndici } from './undici.ts';

export interface ConnectorOptions {
  readonly policy: AddressPolicy;
  /** How host names are resolved; the system's way if undefined. */
  readonly lookup: Lookup | undefined;
  /** Between here and public hosts, if there is one. */
  readonly proxy: HttpProxy | undefined;
  /** For the whole way: through the proxy, if there is one, and the TLS handshake. */
  readonly connectTimeoutMs: number;
  /** Take any certificate. */
  readonly insecureTls: boolean;
  /** The authorities to trust, where they are not the usual ones. */
  readonly secureContext: SecureContext | undefined;
}

/** How long one address is tried before the next of the same host. Node's own 250 ms give up on far receivers. */
const NEXT_ADDRESS_AFTER_MS = 1_000;

/** A connector for one origin. */
export function createConnector(origin: URL, options: ConnectorOptions): buildConnector.connector {
  const { proxy } = options;
  return proxy !== undefined && usesProxy(proxy, origin)
    ? connectThrough(proxy, origin, options)
    : connectDirectly(origin, options);
}

function connectDirectly(origin: URL, options: ConnectorOptions): buildConnector.connector {
  const { protocol } = origin;
  const port = portOf(origin);
  const refusalOf = (address: string) => findBlockReason(options.policy, { protocol, address, port });
  const connect = loadUndici().buildConnector({
    ...toTlsOptions(options),
    lookup: createPolicyLookup(refusalOf, options.lookup),
    timeout: options.connectTimeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
  });
  return (target, done) => {
    // Node looks up names alone, so an address that stands in the URL is checked here.
    const refusal = isIP(target.hostname) === 0 ? null : refusalOf(target.hostname);
    if (refusal === null) connect(target, done);
    else done(new BlockedError(refusal), null);
  };
}

/** To a public host, and so over HTTPS alone: the policy refuses all else. The proxy resolves its name. */
function connectThrough(proxy: HttpProxy, origin: URL, options: ConnectorOptions): buildConnector.connector {
  const { policy, connectTimeoutMs } = options;
  const { protocol } = origin;
  const port = portOf(origin);
  return (target, done) => {
    const address = target.hostname;
    const refusal = findHostBlockReason(policy, { protocol, address, port });
    if (refusal !== null) {
      done(new BlockedError(refusal), null);
      return;
    }
    const startedAt = systemClock.monotonic();
    connectThroughProxy(proxy, formatAuthority(address, port), connectTimeoutMs).then(
      (tunnel) => {
        const timeout = Math.max(1, connectTimeoutMs - (systemClock.monotonic() - startedAt));
        const connect = loadUndici().buildConnector({ ...toTlsOptions(options), timeout });
        connect({ ...target, httpSocket: tunnel }, done);
      },
      (error: Error) => done(error, null),
    );
  };
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

function toTlsOptions({ insecureTls, secureContext }: ConnectorOptions): buildConnector.BuildOptions {
  return { rejectUnauthorized: !insecureTls, ...(secureContext && { secureContext }) };
}
