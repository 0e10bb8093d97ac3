/** Rejects requests before they reach the app: invalid HTTP, a missing, repeated or invalid `Host`, or an invalid target. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { NodeHandler } from 'h3';
import { SvcError } from '../domain/errors.ts';
import { parseAuthority, parseUrl } from '../domain/http-url.ts';
import { UlidGenerator } from '../domain/ids.ts';
import { systemClock } from '../platform/wall-clock.ts';
import { toErrorJson } from './responses.ts';

/** Responds to bytes that Node.js cannot parse as a request, and closes the connection. */
export function rejectMalformedRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { headers, body } = createRejection(toMessage(error));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(['HTTP/1.1 400 Bad Request', ...lines, '', body].join('\r\n'));
}

function toMessage({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'The headers of the request are too large.';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request timed out before it was complete.';
  return `The request is not valid HTTP: ${message.replace(/^Parse Error: /, '')}.`;
}

/** Maximum length of a header or a target in a message, in characters. */
const MAX_SHOWN_LENGTH = 256;

/** Responds with 400 to a request without exactly one valid `Host` or with an invalid target; passes other requests on. */
export function requireValidHostAndTarget(handler: NodeHandler): NodeHandler {
  // The types of `NodeHandler` allow HTTP/2 too, which this server does not support.
  return (request, response) => {
    const problem = findProblem(request as IncomingMessage);
    if (problem === null) return handler(request, response);
    const { headers, body } = createRejection(problem);
    // The rest of the request is not read.
    (response as ServerResponse).writeHead(400, headers).end(body);
  };
}

/** The problem as a sentence; null for a valid request. */
function findProblem({ rawHeaders, url = '' }: IncomingMessage): string | null {
  // Names at even indexes, and their values after them.
  const hosts = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host',
  );
  const [host] = hosts;
  if (host === undefined) return 'The request has no Host header.';
  if (hosts.length > 1 || parseAuthority(host) === null) {
    const value = quoteStart(hosts.join(', '));
    return `The Host header must be one host name or address with an optional port, not ${value}.`;
  }
  // The target can also be an absolute URL (RFC 9112, section 3.2.2).
  if (!url.startsWith('/') && url !== '*' && parseUrl(url) === null)
    return `The request target is neither a path nor a URL: ${quoteStart(url)}.`;
  if (!isDecodable(url)) return `The path of the request is not percent-encoded UTF-8: ${quoteStart(url)}.`;
  return null;
}

function quoteStart(text: string): string {
  return JSON.stringify(text.slice(0, MAX_SHOWN_LENGTH));
}

/** Whether h3 can decode the path of a target. It ignores the query. */
function isDecodable(target: string): boolean {
  const [path = ''] = target.split('?', 1);
  try {
    // The bundler removes a call whose result is not used.
    return decodeURI(path) !== '';
  } catch {
    return false;
  }
}

/** Not the generator of the emulator, so that a rejected request does not change the IDs of a seeded run. */
const ids = new UlidGenerator();

function createRejection(message: string): { headers: Record<string, string>; body: string } {
  const requestId = ids.next('request', systemClock.now());
  const body = toErrorJson(new SvcError('invalid_request', message), requestId);
  const headers = {
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
  };
  return { headers, body };
}
