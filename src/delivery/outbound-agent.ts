/** The one way out: every request that the emulator makes is dialled here (decisions `delivery.*`, `webhook.url`). */
import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { Pool } from 'undici';
import { type HttpProxy, type ProxyOptions, parseProxy } from '../domain/http-proxy.ts';
import { SvcError } from '../errors.ts';
import type { AddressPolicy } from '../network/address-policy.ts';
import type { Lookup } from '../network/policy-lookup.ts';
import { type ConnectorOptions, createConnector } from './connector.ts';
import { createOriginPool } from './origin-pool.ts';
import type { OutboundRequest } from './outbound-exchange.ts';
import { loadUndici } from './undici.ts';

export interface OutboundAgentOptions extends AddressPolicy {
  /** Certificate authorities in PEM, trusted beside the usual ones. */
  readonly ca?: string | undefined;
  /** Connections to one origin at most; further requests wait for one. Default 64. */
  readonly connectionsPerOrigin?: number;
  /** Origins to keep connections to; past it, those of the least recently used are closed. Default 256. */
  readonly maxOrigins?: number;
  /** Between here and public hosts; without it, none, whatever the environment says. */
  readonly proxy?: ProxyOptions | undefined;
  /** How host names are resolved; the system's way by default. */
  readonly lookup?: Lookup | undefined;
}

/** What the connection for a request depends on. */
export interface ConnectionTarget {
  readonly origin: string;
  /** Take any certificate. */
  readonly insecureTls: boolean;
  readonly connectTimeoutMs: number;
  /** A new connection that carries this request alone. */
  readonly newConnection: boolean;
}

/**
 * Connects only where the policy allows, checked on the address that is dialled; where a proxy resolves the name, on
 * the name. Redirects are not followed, and proxies of the environment are not used.
 */
export class OutboundAgent {
  readonly #options: OutboundAgentOptions;
  readonly #secureContext: SecureContext | undefined;
  readonly #proxy: HttpProxy | undefined;
  /** Least recently used first. */
  readonly #pools = new Map<string, Pool>();
  /** Those of the map, and those that only finish what they have. */
  readonly #open = new Set<Pool>();
  #closed = false;

  /** Throws `usage` for a `ca` that is no certificate or a `proxy` that is no address. */
  constructor(options: OutboundAgentOptions) {
    this.#options = options;
    this.#secureContext = options.ca === undefined ? undefined : trustAlso(options.ca);
    this.#proxy = options.proxy && parseProxy(options.proxy);
  }

  /** Loads the HTTP client, which {@link dispatch} and {@link connect} do as well. Throws where it cannot be read now. */
  loadHttpClient(): void {
    loadUndici();
  }

  /**
   * Starts the exchange on an idle connection, on a new one, or as soon as there is one. How it ended, a failure to
   * connect included, is in `request.exchange.ended`.
   */
  dispatch(route: ConnectionTarget, request: OutboundRequest): void {
    if (this.#closed) {
      request.outboundExchange.finish('stopped');
      return;
    }
    const pool = route.newConnection ? this.#openPool(route) : this.#sharedPool(route);
    pool.dispatch(request, request.outboundExchange);
    if (route.newConnection) this.#retire(pool);
  }

  /** Opens a connection that carries nothing, TLS included where the origin has it. Rejects with a `NetworkError`. */
  async connect(route: ConnectionTarget): Promise<Socket> {
    const origin = new URL(route.origin);
    const { protocol, host, port } = origin;
    const hostname = origin.hostname.replace(/^\[(.*)\]$/, '$1');
    const connect = createConnector(origin, this.#toConnectorOptions(route));
    return new Promise((resolve, reject) => {
      connect({ protocol, host, hostname, port }, (error, socket) =>
        error ? reject(error) : resolve(socket),
      );
    });
  }

  /** Closes every connection at once; what is under way ends as `stopped`. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(Array.from(this.#open, (pool) => pool.destroy()));
  }

  #openPool(route: ConnectionTarget): Pool {
    const pool = createOriginPool(new URL(route.origin), {
      ...this.#toConnectorOptions(route),
      connections: this.#options.connectionsPerOrigin ?? 64,
    });
    this.#open.add(pool);
    return pool;
  }

  #toConnectorOptions({ connectTimeoutMs, insecureTls }: ConnectionTarget): ConnectorOptions {
    return {
      policy: this.#options,
      lookup: this.#options.lookup,
      proxy: this.#proxy,
      connectTimeoutMs,
      insecureTls,
      secureContext: this.#secureContext,
    };
  }

  #sharedPool(route: ConnectionTarget): Pool {
    const key = `${route.origin} ${route.connectTimeoutMs} ${route.insecureTls}`;
    const pool = this.#pools.get(key) ?? this.#openPool(route);
    this.#pools.delete(key);
    this.#pools.set(key, pool);
    const [oldest] = this.#pools;
    if (oldest !== undefined && this.#pools.size > (this.#options.maxOrigins ?? 256)) {
      this.#pools.delete(oldest[0]);
      this.#retire(oldest[1]);
    }
    return pool;
  }

  /** Lets a pool finish what it has, and close. */
  #retire(pool: Pool): void {
    void pool.close().finally(() => this.#open.delete(pool));
  }
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
