/** Opens TCP and TLS connections to allowed addresses, directly or through a proxy. Also loads undici, the HTTP client. */
import { request, STATUS_CODES } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import type { AttemptPhase } from '../domain/attempt-phases.ts';
import type { WallClock } from '../domain/clock.ts';
import { formatDuration } from '../domain/duration.ts';
import { type HttpProxy, usesProxy } from '../domain/http-proxy.ts';
import { addBrackets, getPort } from '../domain/http-url.ts';
import type { WebhookUrlRule } from '../domain/webhook-url.ts';
import { SvcError } from '../errors.ts';
import {
  BlockedError,
  createPolicyLookup,
  findBlockReason,
  findHostBlockReason,
  type Lookup,
  NEXT_ADDRESS_AFTER_MS,
} from '../network/address-policy.ts';
import { clearTimeout, setTimeout } from '../timers.ts';
import type { NetworkError } from './outbound-exchange.ts';

export interface ConnectorOptions {
  /** Used to measure durations. */
  readonly wall: Pick<WallClock, 'monotonic'>;
  readonly rule: WebhookUrlRule;
  /** Resolves host names; the system resolver if undefined. */
  readonly lookup: Lookup | undefined;
  /** Proxy for public hosts, if there is one. */
  readonly proxy: HttpProxy | undefined;
  /** Time limit that includes the proxy and the TLS handshake. */
  readonly connectTimeoutMs: number;
  /** Accept any certificate. */
  readonly insecureTls: boolean;
  /** Authorities to trust, if they differ from the built-in ones. */
  readonly secureContext: SecureContext | undefined;
}

/** Opens a connection. `onPhase` is called when a phase of it begins. */
export type Connect = (
  target: buildConnector.Options,
  done: buildConnector.Callback,
  onPhase: (phase: AttemptPhase) => void,
) => void;

/** The proxy did not open a connection. For a delivery, undici passes it to the result of the attempt. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
}

export function createConnector(origin: URL, options: ConnectorOptions): Connect {
  const { proxy } = options;
  return proxy !== undefined && usesProxy(proxy, origin)
    ? createProxyConnector(proxy, origin, options)
    : createDirectConnector(origin, options);
}

function createDirectConnector(origin: URL, options: ConnectorOptions): Connect {
  const { protocol } = origin;
  const port = getPort(origin);
  const findReason = (address: string) => findBlockReason(options.rule, { protocol, address, port });
  const connect = getUndici().buildConnector({
    ...toTlsOptions(options),
    lookup: createPolicyLookup(findReason, options.lookup),
    timeout: options.connectTimeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
  });
  return (target, done, onPhase) => {
    // Node.js calls the lookup for names only: check an IP address in the URL here.
    const isName = isIP(target.hostname) === 0;
    const blockReason = isName ? null : findReason(target.hostname);
    if (blockReason !== null) {
      done(new BlockedError(blockReason), null);
      return;
    }
    onPhase(isName ? 'dns' : 'connect');
    // undici returns the socket, which its types omit.
    const socket = connect(target, done) as unknown as Socket;
    if (isName) socket.once('lookup', (error: Error | null) => error === null && onPhase('connect'));
    if (protocol === 'https:') socket.once('connect', () => onPhase('tls'));
  };
}

/** Connects to a public host, and over HTTPS only: everything else is blocked. The proxy resolves the name. */
function createProxyConnector(proxy: HttpProxy, origin: URL, options: ConnectorOptions): Connect {
  const { wall, rule, connectTimeoutMs } = options;
  const { protocol } = origin;
  const port = getPort(origin);
  return (target, done, onPhase) => {
    const host = target.hostname;
    const blockReason = findHostBlockReason(rule, { protocol, address: host, port });
    if (blockReason !== null) {
      done(new BlockedError(blockReason), null);
      return;
    }
    onPhase('connect');
    const startedAt = wall.monotonic();
    connectThroughProxy(proxy, `${addBrackets(host)}:${port}`, connectTimeoutMs).then(
      (tunnel) => {
        const timeout = Math.max(1, connectTimeoutMs - (wall.monotonic() - startedAt));
        onPhase('tls');
        const connect = getUndici().buildConnector({ ...toTlsOptions(options), timeout });
        connect({ ...target, httpSocket: tunnel }, done);
      },
      (error: Error) => done(error, null),
    );
  };
}

/**
 * Requests a connection to `authority` from the proxy (CONNECT; RFC 9110, section 9.3.6). TLS goes through it end to end:
 * the proxy learns the host and cannot read deliveries.
 * @throws ProxyError
 */
function connectThroughProxy(proxy: HttpProxy, authority: string, timeoutMs: number): Promise<Socket> {
  const { hostname, port, authorization } = proxy;
  return new Promise((resolve, reject) => {
    const fail = (problem: string, cause?: unknown) =>
      reject(new ProxyError(`the proxy ${proxy.authority} ${problem}`, { cause }));
    const outgoing = request({
      method: 'CONNECT',
      host: hostname,
      port,
      path: authority,
      agent: false,
      headers: { host: authority, ...(authorization && { 'proxy-authorization': authorization }) },
    });
    const timer = setTimeout(() => {
      fail(`did not open a connection within ${formatDuration(timeoutMs)}`);
      outgoing.destroy();
    }, timeoutMs);
    outgoing
      .once('connect', ({ statusCode = 0 }, socket: Socket) => {
        clearTimeout(timer);
        if (statusCode >= 200 && statusCode < 300) return resolve(socket);
        socket.destroy();
        fail(describeProxyStatus(statusCode, authority));
      })
      .once('error', (error: NetworkError) => {
        clearTimeout(timer);
        fail(`cannot be used: ${error.message || error.code}`, error);
      })
      .end();
  });
}

function describeProxyStatus(status: number, authority: string): string {
  const problem = `returned ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
  return status === 407
    ? `${problem}: put a valid user name and password into its URL, http://user:password@host:port`
    : `${problem} for a connection to ${authority}`;
}

function toTlsOptions({ insecureTls, secureContext }: ConnectorOptions): buildConnector.BuildOptions {
  // The build omits HTTP/2.
  return { allowH2: false, rejectUnauthorized: !insecureTls, ...(secureContext && { secureContext }) };
}

/** The build contains only these parts. */
type Undici = Pick<typeof import('undici'), 'Client' | 'Pool' | 'buildConnector'>;

let undici: Undici | null = null;

/**
 * Loads the HTTP client.
 * @throws SvcError `internal_error`. The next call can succeed, because the build contains CommonJS modules: Node.js would cache the
 *   failed `import()` of an ES module, even for a lack of file descriptors.
 */
export async function loadUndici(load: () => Promise<Undici> = () => import('undici')): Promise<void> {
  try {
    undici ??= await load();
  } catch (error) {
    if (isOutOfFileDescriptors(error)) throw createOutOfFileDescriptorsError(error);
    // After the last test of a file, modules that Jest loads are undefined.
    if (error instanceof TypeError && process.env.JEST_WORKER_ID !== undefined) {
      const message =
        'The test ended before the emulator was closed. Await createEmulator(), and close() in afterAll.';
      throw new SvcError('internal_error', message, { cause: error });
    }
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    throw new SvcError('internal_error', 'A file of svc is missing, so no request can be sent.', {
      hint: 'If svc was upgraded while the emulator ran, restart the emulator. Otherwise install svc again.',
      cause: error,
    });
  }
}

/** The HTTP client, after {@link loadUndici}. */
export function getUndici(): Undici {
  if (undici === null) throw new Error('The HTTP client is not loaded.');
  return undici;
}

/** Whether the process could not open a file or socket. */
export function isOutOfFileDescriptors(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : null;
  return code === 'EMFILE' || code === 'ENFILE';
}

export function createOutOfFileDescriptorsError(cause: unknown): SvcError {
  return new SvcError(
    'internal_error',
    'The process has no free file descriptor, so no request can be sent.',
    {
      hint: {
        text: 'Close connections to the emulator, or raise the limit before you start it',
        command: 'ulimit -n 4096',
      },
      cause,
    },
  );
}
