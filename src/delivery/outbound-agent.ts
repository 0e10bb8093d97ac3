/** Opens and reuses connections for all outgoing requests of the emulator (gaps `delivery.*`, `webhook.url`). */
import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { Pool } from 'undici';
import type { WallClock } from '../domain/clock.ts';
import { type HttpProxy, type ProxyOptions, parseProxy } from '../domain/http-proxy.ts';
import { stripBrackets } from '../domain/http-url.ts';
import type { WebhookUrlRule } from '../domain/webhook-url.ts';
import { SvcError } from '../errors.ts';
import type { Lookup } from '../network/address-policy.ts';
import { type ConnectorOptions, createConnector } from './connector.ts';
import { createOriginPool } from './origin-pool.ts';
import type { OutboundRequest } from './outbound-exchange.ts';

/** Limits in real time (gaps `delivery.timeout`, `delivery.response`). */
export interface SendLimits {
  readonly connectTimeoutMs: number;
  readonly attemptTimeoutMs: number;
  /** Bytes of the body to keep. Beyond them the connection is destroyed, and the status decides the outcome. */
  readonly responseLimitBytes: number;
}

export interface OutboundAgentOptions {
  readonly rule: WebhookUrlRule;
  readonly limits: SendLimits;
  /** Used to read a `Retry-After` date and to measure durations. */
  readonly wall: WallClock;
  /** Certificate authorities in PEM, trusted in addition to the built-in ones. */
  readonly ca?: string | undefined;
  /** Maximum number of connections per origin (default: 64). Further requests wait for one. */
  readonly connectionsPerOrigin?: number;
  /** Maximum number of origins with open connections (default: 256). The least recently used are closed. */
  readonly maxOrigins?: number;
  /** Proxy for public hosts (default: none, even if the environment has proxy variables). */
  readonly proxy?: ProxyOptions | undefined;
  /** Resolves host names (default: the system resolver). */
  readonly lookup?: Lookup | undefined;
}

/** The origin to connect to, and how. */
interface ConnectorTarget {
  readonly origin: string;
  /** Accept any certificate. */
  readonly insecureTls: boolean;
}

interface ConnectionTarget extends ConnectorTarget {
  /** Whether the request gets a connection of its own. */
  readonly usesNewConnection: boolean;
}

/**
 * Connects only where `findBlockReason` allows. It checks the address that is connected to, or on the host name if
 * a proxy resolves it. Redirects are not followed, and proxy variables of the environment are not used.
 */
export class OutboundAgent {
  readonly #options: OutboundAgentOptions;
  readonly #secureContext: SecureContext | undefined;
  readonly #proxy: HttpProxy | undefined;
  /** Least recently used first. */
  readonly #pools = new Map<string, Pool>();
  /** Pools in `#pools`, and retired ones with requests in flight. */
  readonly #openPools = new Set<Pool>();
  #closed = false;

  /** @throws SvcError `usage` for an invalid `ca` or `proxy` */
  constructor(options: OutboundAgentOptions) {
    this.#options = options;
    this.#secureContext = options.ca === undefined ? undefined : createTrustContext(options.ca);
    this.#proxy = options.proxy && parseProxy(options.proxy);
  }

  /**
   * Sends a request on an idle or new connection, or as soon as there is one. The result, including a failure to connect,
   * is in `request.exchange.result`.
   */
  dispatch(target: ConnectionTarget, request: OutboundRequest): void {
    if (this.#closed) {
      request.exchange.finish('stopped');
      return;
    }
    const pool = target.usesNewConnection ? this.#createPool(target) : this.#getSharedPool(target);
    pool.dispatch(request, request.exchange);
    if (target.usesNewConnection) this.#retire(pool);
  }

  /** Opens a connection without a request, including the TLS handshake. @throws NetworkError */
  async connect(target: ConnectorTarget): Promise<Socket> {
    const origin = new URL(target.origin);
    const { protocol, host, port } = origin;
    const hostname = stripBrackets(origin.hostname);
    const connect = createConnector(origin, this.#toConnectorOptions(target));
    const ignorePhase = () => {};
    return new Promise((resolve, reject) => {
      connect(
        { protocol, host, hostname, port },
        (error, socket) => (error ? reject(error) : resolve(socket)),
        ignorePhase,
      );
    });
  }

  /** Closes the connections of all dispatched requests at once. Requests in flight end as `stopped`. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(Array.from(this.#openPools, (pool) => pool.destroy()));
  }

  #createPool(target: ConnectionTarget): Pool {
    const connections = this.#options.connectionsPerOrigin ?? 64;
    const pool = createOriginPool(new URL(target.origin), connections, this.#toConnectorOptions(target));
    this.#openPools.add(pool);
    return pool;
  }

  #toConnectorOptions({ insecureTls }: ConnectorTarget): ConnectorOptions {
    return {
      wall: this.#options.wall,
      rule: this.#options.rule,
      lookup: this.#options.lookup,
      proxy: this.#proxy,
      connectTimeoutMs: this.#options.limits.connectTimeoutMs,
      insecureTls,
      secureContext: this.#secureContext,
    };
  }

  #getSharedPool(target: ConnectionTarget): Pool {
    const key = `${target.origin} ${target.insecureTls}`;
    const pool = this.#pools.get(key) ?? this.#createPool(target);
    this.#pools.delete(key);
    this.#pools.set(key, pool);
    const [oldest] = this.#pools;
    if (oldest !== undefined && this.#pools.size > (this.#options.maxOrigins ?? 256)) {
      this.#pools.delete(oldest[0]);
      this.#retire(oldest[1]);
    }
    return pool;
  }

  /** Closes a pool when its requests in flight have ended. */
  #retire(pool: Pool): void {
    void pool.close().finally(() => this.#openPools.delete(pool));
  }
}

/** Trusts the built-in authorities and `ca`. Parses `ca` first, because a TLS context ignores what it cannot read. */
function createTrustContext(ca: string): SecureContext {
  try {
    new X509Certificate(ca);
  } catch (cause) {
    throw new SvcError('usage', 'The certificate authority in ca is not a PEM certificate.', {
      hint: 'Pass PEM text that starts with -----BEGIN CERTIFICATE-----.',
      cause,
    });
  }
  return createSecureContext({ ca: [...rootCertificates, ca] });
}
