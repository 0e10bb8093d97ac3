/** Opens connections to receivers: checks each address, and passes the proxy and the TLS handshake. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { request, STATUS_CODES } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { connect as connectTls, createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { AttemptPhase } from '../domain/attempt-phases.ts';
import { formatDuration } from '../domain/duration.ts';
import { SvcError } from '../domain/errors.ts';
import { type HttpProxy, parseProxy, usesProxy } from '../domain/http-proxy.ts';
import { addBrackets, getPort, stripBrackets } from '../domain/http-url.ts';
import { classifyHost } from '../domain/network-address.ts';
import type { WebhookUrlRule } from '../domain/webhook-url.ts';
import {
  BlockedError,
  createPolicyLookup,
  findBlockReason,
  type Lookup,
  NEXT_ADDRESS_AFTER_MS,
} from './address-policy.ts';
import { clearTimeout, setTimeout } from './timers.ts';

export interface ConnectorOptions {
  readonly rule: WebhookUrlRule;
  /** Time limit of a connection, with the proxy and the TLS handshake (default: none). */
  readonly connectTimeoutMs?: number;
  /** Certificate authorities in PEM, trusted in addition to the built-in ones. */
  readonly ca?: string | undefined;
  /** URL of the proxy for public hosts (default: none, even if the environment has proxy variables). */
  readonly proxy?: string | undefined;
  /** Resolves host names (default: the system resolver). */
  readonly lookup?: Lookup | undefined;
}

interface OpenOptions {
  /** Accept any certificate. */
  readonly insecureTls: boolean;
  readonly onPhase?: (phase: AttemptPhase) => void;
  /** Ends the opening, and also the open connection if it aborts later. */
  readonly limit?: AbortController;
}

export class ProxyError extends Error {
  override readonly name = 'ProxyError';
}

/** The longest time of a timer. */
const NO_LIMIT_MS = 2 ** 31 - 1;

export class Connector {
  readonly #options: ConnectorOptions;
  readonly #secureContext: SecureContext | undefined;
  readonly #proxy: HttpProxy | undefined;

  /** @throws SvcError `usage` for an invalid `ca` or `proxy` */
  constructor(options: ConnectorOptions) {
    this.#options = options;
    this.#secureContext = options.ca === undefined ? undefined : createTrustContext(options.ca);
    this.#proxy = options.proxy === undefined ? undefined : parseProxy(options.proxy);
  }

  /**
   * Opens a connection, including the TLS handshake. Connects only where `findBlockReason` allows, and checks the address of
   * each connection, or the host name if a proxy resolves it. @throws NetworkError
   */
  async open(
    url: URL,
    { insecureTls, onPhase = () => {}, limit = new AbortController() }: OpenOptions,
  ): Promise<Socket> {
    const { rule, lookup, connectTimeoutMs = NO_LIMIT_MS } = this.#options;
    const { protocol } = url;
    const host = stripBrackets(url.hostname);
    const port = getPort(url);
    const isTls = protocol === 'https:';
    const isName = isIP(host) === 0;
    const proxy = this.#proxy !== undefined && usesProxy(url) ? this.#proxy : null;
    const findReason = (address: string) => findBlockReason(rule, { protocol, address, port });
    // Node.js calls the lookup for names only, and the proxy resolves a name.
    const reasonOfAddress = isName ? null : findReason(host);
    const reason = proxy
      ? findBlockReason(rule, { protocol, address: host, port }, classifyHost(host))
      : reasonOfAddress;
    if (reason !== null) throw new BlockedError(reason);
    onPhase(isName && proxy === null ? 'dns' : 'connect');
    const timer = setTimeout(() => limit.abort(), connectTimeoutMs);
    try {
      const tunnel =
        proxy &&
        (await connectThroughProxy(proxy, `${addBrackets(host)}:${port}`, limit.signal, connectTimeoutMs));
      if (tunnel) onPhase('tls');
      const options = {
        host,
        port,
        noDelay: true,
        lookup: createPolicyLookup(findReason, lookup),
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
      };
      const socket = isTls
        ? connectTls({
            ...options,
            ...(tunnel && { socket: tunnel }),
            ...(this.#secureContext && { secureContext: this.#secureContext }),
            // The name to check in the certificate, even if a header `Host` has another one.
            servername: isName ? host : '',
            rejectUnauthorized: !insecureTls,
            ALPNProtocols: ['http/1.1'],
          })
        : connect(options);
      // Node.js throws the errors of a connection that nobody listens to, such as one that is idle.
      addAbortSignal(limit.signal, socket).on('error', () => {});
      socket.once('lookup', (error: Error | null) => error === null && onPhase('connect'));
      if (isTls) socket.once('connect', () => onPhase('tls'));
      await once(socket, isTls ? 'secureConnect' : 'connect');
      return socket;
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Requests a connection to `authority` from the proxy (CONNECT; RFC 9110, section 9.3.6). TLS goes through it end to end:
 * the proxy learns the host and cannot read deliveries.
 * @throws ProxyError
 */
async function connectThroughProxy(
  { hostname, port, authorization, authority: name }: HttpProxy,
  authority: string,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<Socket> {
  const headers = { host: authority, ...(authorization && { 'proxy-authorization': authorization }) };
  const options = { method: 'CONNECT', host: hostname, port, path: authority, agent: false, headers, signal };
  const [{ statusCode = 0 }, socket] = await once(request(options).end(), 'connect').catch((cause) => {
    const problem = signal.aborted
      ? `did not open a connection within ${formatDuration(timeoutMs)}`
      : `cannot be used: ${cause.message || cause.code}`;
    throw new ProxyError(`the proxy ${name} ${problem}`, { cause });
  });
  if (statusCode >= 200 && statusCode < 300) return socket;
  socket.destroy();
  const problem = `returned ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trimEnd();
  const next =
    statusCode === 407
      ? ': put a valid user name and password into its URL, http://user:password@host:port'
      : ` for a connection to ${authority}`;
  throw new ProxyError(`the proxy ${name} ${problem}${next}`);
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
