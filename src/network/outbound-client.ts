/** Sends requests to receivers: deliveries, probes, checks and fuzzing use this client (gaps `delivery.*`, `webhook.url`). */
import { X509Certificate } from 'node:crypto';
import {
  Agent,
  type ClientRequest,
  type ClientRequestArgs,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
} from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import {
  type AttemptPhase,
  measurePhases,
  type PhaseDurations,
  type PhaseStart,
} from '../domain/attempt-phases.ts';
import type { WallClock } from '../domain/clock.ts';
import { type HttpProxy, type ProxyOptions, parseProxy, usesProxy } from '../domain/http-proxy.ts';
import { addBrackets, getPort, stripBrackets } from '../domain/http-url.ts';
import type { WebhookUrlRule } from '../domain/webhook-url.ts';
import { SvcError } from '../errors.ts';
import { clearTimeout, monotonic, setTimeout } from '../timers.ts';
import {
  BlockedError,
  createPolicyLookup,
  findBlockReason,
  findHostBlockReason,
  type Lookup,
  NEXT_ADDRESS_AFTER_MS,
} from './address-policy.ts';
import { openTunnel } from './proxy-tunnel.ts';

export interface OutboundClientOptions {
  readonly rule: WebhookUrlRule;
  /** Time limit of a connection, with the proxy and the TLS handshake (default: only that of the request). */
  readonly connectTimeoutMs?: number;
  /** Used to measure durations (default: the monotonic clock). */
  readonly wall?: Pick<WallClock, 'monotonic'>;
  /** Certificate authorities in PEM, trusted in addition to the built-in ones. */
  readonly ca?: string | undefined;
  /** Maximum number of connections per origin (default: 64). Further requests wait for one. */
  readonly connectionsPerOrigin?: number;
  /** Proxy for public hosts (default: none, even if the environment has proxy variables). */
  readonly proxy?: ProxyOptions | undefined;
  /** Resolves host names (default: the system resolver). */
  readonly lookup?: Lookup | undefined;
}

export interface OutboundRequest {
  readonly url: URL;
  /** Default: POST. */
  readonly method?: 'GET';
  /** `Host`, `Connection` and the `Content-Length` of a text or a buffer are added. */
  readonly headers?: OutgoingHttpHeaders;
  /** The parts of a body are read when there is a connection. They need the header `Content-Length`. */
  readonly body?: string | Buffer | AsyncIterable<Buffer>;
  /** Time limit of the whole request. */
  readonly timeoutMs: number;
  /** Bytes of the response body to keep. Beyond them the connection is closed. */
  readonly bodyLimitBytes: number;
  /** Accept any certificate. */
  readonly insecureTls?: boolean;
  /** False opens a connection for this request only (default: true). */
  readonly reusesConnection?: boolean;
  /** Ends the request as `stopped`. */
  readonly signal?: AbortSignal;
}

export interface ReceivedResponse {
  readonly status: number;
  /** Names in lower case. Bytes beyond ASCII are read as Latin-1, so none is lost. Repeated headers are joined by `, `. */
  readonly headers: Record<string, string>;
  /** The raw bytes: a compressed body stays compressed. */
  readonly body: Buffer;
  /** Whether the body continued after these bytes. */
  readonly truncated: boolean;
}

export interface Exchange {
  /** Progress: no connection yet, request written, first byte of the response received, headers received. */
  readonly stage: 'connecting' | 'waiting' | 'headers' | 'body';
  /** The received part of the response; null before its headers were complete. */
  readonly response: ReceivedResponse | null;
  /** Why the exchange ended before the response was complete or reached the size limit; null if it did not. */
  readonly failure: NetworkError | 'timeout' | 'stopped' | null;
  readonly phases: PhaseDurations;
  readonly durationMs: number;
}

/** The fields of errors of Node.js and OpenSSL. */
export interface NetworkError extends Error {
  /** Of the system (`ECONNRESET`), of OpenSSL (`CERT_HAS_EXPIRED`), or the violated rule of HTTP (`HPE_CR_EXPECTED`). */
  readonly code?: string;
  /** The failed call of the system; undefined if the receiver closed the connection in order. */
  readonly syscall?: string;
  readonly address?: string;
  readonly port?: number;
  /** Message of OpenSSL or of the HTTP parser, or the problem with the names in a certificate. */
  readonly reason?: string;
  /** The bytes that could not be parsed as HTTP. */
  readonly rawPacket?: Buffer;
  /** One error for each address that was tried. */
  readonly errors?: readonly NetworkError[];
  readonly cert?: { readonly subjectaltname?: string };
}

/** The receiver violated HTTP. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** The default of Node.js. */
export const HEADERS_LIMIT_BYTES = 16 * 1024;
/** Maximum number of informational responses (1xx) to one request. */
export const INFORMATIONAL_LIMIT = 64;
/** The longest time of a timer. */
const NO_LIMIT_MS = 2 ** 31 - 1;
/** Idle connections are closed after this time, because many servers close them after five seconds. */
const IDLE_LIMIT_MS = 4_000;

/** Statuses of responses that end at their headers (RFC 9110, section 6.4.1). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304]);
const CONNECTION_LOST = new Set<string | undefined>(['ECONNRESET', 'EPIPE']);

/** What a request passes to the connection that is opened for it. */
interface ConnectionOptions extends ClientRequestArgs {
  readonly url: URL;
  readonly onPhase: (phase: AttemptPhase) => void;
}

type OnConnection = (error: Error | null, socket?: Socket) => void;

/** The connections that have carried a request. */
const usedSockets = new WeakSet<Socket>();

/**
 * Connects only where `findBlockReason` allows, and checks the address of each connection, or the host name if a proxy
 * resolves it. Redirects are not followed, and proxy variables of the environment are not used.
 */
export class OutboundClient {
  readonly #options: OutboundClientOptions;
  readonly #wall: Pick<WallClock, 'monotonic'>;
  readonly #secureContext: SecureContext | undefined;
  readonly #proxy: HttpProxy | undefined;
  /** By protocol. Created when first used, because most emulators need one of them. */
  readonly #agents = new Map<string, Agent>();
  /** Ends each request in flight. */
  readonly #stops = new Set<() => void>();
  #isClosed = false;

  /** @throws SvcError `usage` for an invalid `ca` or `proxy` */
  constructor(options: OutboundClientOptions) {
    this.#options = options;
    this.#wall = options.wall ?? { monotonic };
    this.#secureContext = options.ca === undefined ? undefined : createTrustContext(options.ca);
    this.#proxy = options.proxy && parseProxy(options.proxy);
  }

  /**
   * Whatever the receiver does is returned, not thrown. If it closes a reused connection without a byte of a response, the
   * request is sent again on a new connection.
   */
  send(message: OutboundRequest): Promise<Exchange> {
    const { url, body = '', bodyLimitBytes, signal } = message;
    const wall = this.#wall;
    const startedAt = wall.monotonic();
    const starts: PhaseStart[] = [{ phase: 'queued', at: startedAt }];
    let stage: Exchange['stage'] = 'connecting';
    let outgoing: ClientRequest | undefined;
    let head: Pick<ReceivedResponse, 'status' | 'headers'> | null = null;
    const chunks: Buffer[] = [];
    let length = 0;
    let isOver = false;
    const parts = typeof body === 'string' || Buffer.isBuffer(body) ? null : body;
    let canRetry = message.reusesConnection !== false && parts === null;

    return new Promise((resolve) => {
      const finish = (failure: Exchange['failure'], isCut = failure !== null) => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
        this.#stops.delete(stop);
        if (isCut) outgoing?.destroy();
        const endedAt = wall.monotonic();
        resolve({
          stage,
          response: head && {
            ...head,
            body: Buffer.concat(chunks),
            truncated: length > bodyLimitBytes || failure !== null,
          },
          failure,
          phases: measurePhases(starts, endedAt),
          durationMs: endedAt - startedAt,
        });
      };
      const stop = () => finish('stopped');
      const timer = setTimeout(() => finish('timeout'), message.timeoutMs);
      if (this.#isClosed || signal?.aborted) return stop();
      this.#stops.add(stop);
      signal?.addEventListener('abort', stop);

      const onPhase = (phase: AttemptPhase) => {
        // A response can begin before the request is complete.
        if (phase === 'wait' && stage !== 'waiting') return;
        starts.push({ phase, at: wall.monotonic() });
        if (phase === 'receive') stage = 'headers';
        if (phase !== 'send') return;
        stage = 'waiting';
        if (parts === null) starts.push({ phase: 'wait', at: wall.monotonic() });
        else Readable.from(parts, { objectMode: false }).pipe(outgoing as ClientRequest);
      };

      const onResponse = (response: IncomingMessage) => {
        const status = response.statusCode ?? 0;
        const problem = findStatusProblem(status);
        if (problem !== null) return finish(new ProtocolError(problem));
        stage = 'body';
        head = { status, headers: joinRepeatedHeaders(response.rawHeaders) };
        response.on('error', finish);
        if (WITHOUT_BODY.has(status)) {
          const announced = head.headers['content-length'] ?? head.headers['transfer-encoding'] ?? '0';
          response.resume();
          return finish(null, announced !== '0');
        }
        response
          .on('data', (chunk: Buffer) => {
            chunks.push(chunk.subarray(0, bodyLimitBytes - length));
            length += chunk.length;
            if (length > bodyLimitBytes) finish(null, true);
          })
          .on('end', () => finish(null));
      };

      const start = (agent: Agent) => {
        let informationalCount = 0;
        let response: IncomingMessage | null = null;
        let isReused = false;
        const host = stripBrackets(url.hostname);
        const options: ConnectionOptions = {
          ...{ url, onPhase, agent, host, port: getPort(url), path: `${url.pathname}${url.search}` },
          protocol: url.protocol,
          method: message.method ?? 'POST',
          headers: message.headers,
          ...(url.protocol === 'https:' && toTlsOptions(host, message.insecureTls)),
        };
        // The agent makes it HTTPS. The build loads `node:https` late, so that its `request` could be the mock of a user's test.
        outgoing = request(options)
          .on('socket', (socket: Socket) => {
            isReused = usedSockets.has(socket);
            usedSockets.add(socket);
            if (isReused) onPhase('send');
            // Called before the parser of Node.js reads the bytes.
            socket.prependOnceListener('data', () => stage === 'waiting' && onPhase('receive'));
          })
          .on('information', () => {
            informationalCount++;
            if (informationalCount <= INFORMATIONAL_LIMIT) return;
            finish(new ProtocolError(`sent more than ${INFORMATIONAL_LIMIT} informational responses (1xx)`));
          })
          .on('upgrade', onResponse)
          .on('response', (incoming) => {
            response = incoming;
            onResponse(incoming);
          })
          .on('error', (error: NetworkError) => {
            // Bytes after a complete response do not matter.
            if (response?.complete) return finish(null);
            if (!canRetry || !isReused || stage !== 'waiting' || !CONNECTION_LOST.has(error.code)) {
              return finish(error);
            }
            canRetry = false;
            if (isOver) return;
            stage = 'connecting';
            starts.length = 1;
            start(this.#createAgent(url.protocol, false));
          });
        if (parts === null) outgoing.end(body);
        else outgoing.on('finish', () => onPhase('wait'));
      };

      try {
        start(
          message.reusesConnection === false
            ? this.#createAgent(url.protocol, false)
            : this.#getAgent(url.protocol),
        );
      } catch (error) {
        // An invalid header.
        finish(error as NetworkError);
      }
    });
  }

  /** Opens a connection without a request, including the TLS handshake. @throws NetworkError */
  async connect(url: URL, insecureTls: boolean): Promise<Socket> {
    const agent = this.#createAgent(url.protocol, false);
    const host = stripBrackets(url.hostname);
    const options = {
      ...{ url, host, port: getPort(url), onPhase: () => {} },
      ...(url.protocol === 'https:' && toTlsOptions(host, insecureTls)),
    };
    return new Promise((resolve, reject) => {
      const onConnection = (error: Error | null, socket?: Socket) => {
        if (error !== null || socket === undefined) return reject(error);
        const isReady = url.protocol === 'https:' ? 'secureConnect' : 'connect';
        socket.once(isReady, () => resolve(socket)).once('error', reject);
      };
      const socket = agent.createConnection(options, onConnection as never);
      if (socket) onConnection(null, socket as Socket);
    });
  }

  /** Closes all connections at once. Requests in flight end as `stopped`, and so do later ones. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.closeConnections();
  }

  /** Closes the connections that are kept for later requests. */
  closeConnections(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #getAgent(protocol: string): Agent {
    const existing = this.#agents.get(protocol);
    if (existing) return existing;
    const agent = this.#createAgent(protocol, true);
    this.#agents.set(protocol, agent);
    return agent;
  }

  #createAgent(protocol: string, keepAlive: boolean): Agent {
    const { connectionsPerOrigin: maxSockets = 64 } = this.#options;
    const options = { keepAlive, maxSockets, timeout: IDLE_LIMIT_MS };
    const agent = protocol === 'https:' ? new HttpsAgent(options) : new Agent(options);
    const open = agent.createConnection.bind(agent) as (options: object) => Socket;
    agent.createConnection = ((request: ConnectionOptions, done: OnConnection) =>
      this.#openConnection(open, request, done)) as never;
    return agent;
  }

  /** @param open of the agent, which keeps TLS sessions @returns the connection, unless it is passed to `done` later */
  #openConnection(
    open: (options: object) => Socket,
    options: ConnectionOptions,
    done: OnConnection,
  ): Socket | undefined {
    const { rule, lookup, connectTimeoutMs = NO_LIMIT_MS } = this.#options;
    const wall = this.#wall;
    const { url, onPhase } = options;
    const { protocol } = url;
    const host = stripBrackets(url.hostname);
    const port = getPort(url);
    const proxy = this.#proxy !== undefined && usesProxy(this.#proxy, url) ? this.#proxy : null;
    const findReason = (address: string) => findBlockReason(rule, { protocol, address, port });
    const isName = isIP(host) === 0;
    // Node.js calls the lookup for names only, and the proxy resolves a name.
    const blockReason =
      proxy !== null
        ? findHostBlockReason(rule, { protocol, address: host, port })
        : isName
          ? null
          : findReason(host);
    if (blockReason !== null) {
      done(new BlockedError(blockReason));
      return undefined;
    }
    const openWithin = (timeoutMs: number, tunnel?: Socket) => {
      const socket = open({
        ...options,
        ...(tunnel && { socket: tunnel }),
        ...(this.#secureContext && { secureContext: this.#secureContext }),
        ALPNProtocols: ['http/1.1'],
        lookup: createPolicyLookup(findReason, lookup),
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
      });
      const timer = setTimeout(() => socket.destroy(createTimeoutError()), timeoutMs);
      const onReady = () => {
        clearTimeout(timer);
        onPhase('send');
      };
      socket.once('close', () => clearTimeout(timer));
      if (protocol === 'https:') socket.once('secureConnect', onReady);
      else socket.once('connect', onReady);
      return socket;
    };
    if (proxy !== null) {
      onPhase('connect');
      const startedAt = wall.monotonic();
      openTunnel(proxy, `${addBrackets(host)}:${port}`, connectTimeoutMs).then((tunnel) => {
        onPhase('tls');
        done(null, openWithin(Math.max(1, connectTimeoutMs - (wall.monotonic() - startedAt)), tunnel));
      }, done);
      return undefined;
    }
    onPhase(isName ? 'dns' : 'connect');
    const socket = openWithin(connectTimeoutMs);
    if (isName) socket.once('lookup', (error: Error | null) => error === null && onPhase('connect'));
    if (protocol === 'https:') socket.once('connect', () => onPhase('tls'));
    return socket;
  }
}

/** @param host without brackets: the name to check in the certificate, even if a header `Host` has another one */
function toTlsOptions(host: string, insecureTls = false) {
  const servername = isIP(host) === 0 ? host : '';
  return { servername, rejectUnauthorized: !insecureTls };
}

function findStatusProblem(status: number): string | null {
  if (status < 100) return `returned the invalid status ${String(status).padStart(3, '0')}`;
  return status === 101 ? 'returned 101 Switching Protocols, which was not requested' : null;
}

function createTimeoutError(): NetworkError {
  return Object.assign(new Error('The connection took too long.'), { code: 'ETIMEDOUT' });
}

/** @param raw names and values in turns. `fromEntries` treats a header named `__proto__` like any other. */
function joinRepeatedHeaders(raw: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]?.toLowerCase() ?? '';
    const value = raw[index + 1] ?? '';
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
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
