/** The one way out: every request that the emulator makes is dialled here (decisions `delivery.*`, `webhook.url`). */
import { X509Certificate } from 'node:crypto';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { Dispatcher, Pool } from 'undici';
import { SvcError } from '../errors.ts';
import type { AddressPolicy } from './address-policy.ts';
import type { Lookup } from './outbound-connect.ts';
import type { Exchange } from './outbound-exchange.ts';
import type { createOriginPool } from './outbound-pool.ts';

export interface DialerOptions extends AddressPolicy {
  /** Certificate authorities in PEM, trusted beside the usual ones. */
  readonly ca?: string | undefined;
  /** Connections to one origin at most; further requests wait for one. Default 64. */
  readonly connectionsPerOrigin?: number;
  /** Origins to keep connections to; past it, those of the least recently used are closed. Default 256. */
  readonly maxOrigins?: number;
  /** How host names are resolved; the system's way by default. */
  readonly lookup?: Lookup | undefined;
}

/** What the connection for a request depends on. */
export interface Route {
  readonly origin: string;
  /** Take any certificate. */
  readonly insecureTls: boolean;
  readonly connectTimeoutMs: number;
  /** A new connection that carries this request alone. */
  readonly fresh: boolean;
}

/**
 * Starts the exchange on an idle connection, on a new one, or as soon as there is one. How it ended, a failure to
 * connect included, is in `exchange.ended`.
 */
export type Dial = (route: Route, request: Dispatcher.DispatchOptions, exchange: Exchange) => void;

export interface Dialer {
  /** Loads the HTTP client, once: it takes tens of milliseconds, and no start of the emulator should wait for it. */
  load(): Promise<Dial>;
  /** Closes every connection at once; what is under way ends as `stopped`. */
  close(): Promise<void>;
}

/**
 * Connects only where the policy allows, checked on the address that is dialled. Redirects are not followed and
 * proxies of the environment are not used. Throws `usage` for a `ca` that is no certificate.
 */
export function createDialer(options: DialerOptions): Dialer {
  const { connectionsPerOrigin = 64, maxOrigins = 256 } = options;
  const secureContext = options.ca === undefined ? undefined : trustAlso(options.ca);
  const pools = new Map<string, Pool>(); // least recently used first
  const open = new Set<Pool>(); // those in the map, and those that are finishing what they have
  let loaded: Promise<Dial> | undefined;
  let closed = false;

  async function load(): Promise<Dial> {
    const { createOriginPool } = await import('./outbound-pool.ts');
    return (route, request, exchange) => {
      if (closed) {
        exchange.end('stopped');
        return;
      }
      const pool = route.fresh ? openPool(createOriginPool, route) : sharedPool(createOriginPool, route);
      pool.dispatch(request, exchange);
      if (route.fresh) retire(pool);
    };
  }

  function sharedPool(create: typeof createOriginPool, route: Route): Pool {
    const key = `${route.origin} ${route.connectTimeoutMs} ${route.insecureTls}`;
    const pool = pools.get(key) ?? openPool(create, route);
    pools.delete(key);
    pools.set(key, pool);
    const [oldest] = pools;
    if (oldest !== undefined && pools.size > maxOrigins) {
      pools.delete(oldest[0]);
      retire(oldest[1]);
    }
    return pool;
  }

  function openPool(create: typeof createOriginPool, route: Route): Pool {
    const pool = create(new URL(route.origin), {
      policy: options,
      lookup: options.lookup,
      connections: connectionsPerOrigin,
      connectTimeoutMs: route.connectTimeoutMs,
      insecureTls: route.insecureTls,
      secureContext,
    });
    open.add(pool);
    return pool;
  }

  /** Lets a pool finish what it has, and close. */
  function retire(pool: Pool): void {
    void pool.close().finally(() => open.delete(pool));
  }

  return {
    load() {
      loaded ??= load();
      return loaded;
    },
    async close() {
      closed = true;
      await Promise.all([...open].map((pool) => pool.destroy()));
    },
  };
}

/** The usual authorities and those of the text, read here because a TLS context passes over what it cannot read. */
function trustAlso(ca: string): SecureContext {
  try {
    new X509Certificate(ca);
  } catch (cause) {
    throw new SvcError('usage', 'the certificate authority is not a certificate in PEM', { cause });
  }
  return createSecureContext({ ca: [...rootCertificates, ca] });
}
