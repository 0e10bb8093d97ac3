/** Checks the `Host` header and the target of each request before a URL is built from them. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeHandler } from 'h3';
import { parseAuthority, parseUrl } from '../domain/http-url.ts';
import { SvcError } from '../errors.ts';
import { nextUnloggedRequestId } from './malformed-request.ts';
import { toErrorJson } from './responses.ts';

/** Length of a header or a target in a message, in characters. */
const SHOWN_LENGTH = 256;

/** Responds with 400 to a request without exactly one valid `Host` or with an invalid target; passes other requests on. */
export function requireValidHost(handler: NodeHandler): NodeHandler {
  return (request, response) => {
    const problem = findProblem(request as IncomingMessage);
    return problem === null ? handler(request, response) : rejectRequest(problem, response as ServerResponse);
  };
}

/** The problem as a sentence; null for a valid request. */
function findProblem({ headersDistinct, url = '' }: IncomingMessage): string | null {
  const hosts = headersDistinct.host ?? [];
  const [host] = hosts;
  if (host === undefined) return 'The request has no Host header.';
  if (hosts.length > 1 || parseAuthority(host) === null) {
    const value = JSON.stringify(hosts.join(', ').slice(0, SHOWN_LENGTH));
    return `The Host header must be one host name or address with an optional port, not ${value}.`;
  }
  // An absolute target names a host as well (RFC 9112, section 3.2.2).
  if (url.startsWith('/') || url === '*' || parseUrl(url) !== null) return null;
  return `The target of the request is not a path or a URL: ${JSON.stringify(url.slice(0, SHOWN_LENGTH))}.`;
}

function rejectRequest(message: string, response: ServerResponse): void {
  const requestId = nextUnloggedRequestId();
  const body = toErrorJson(new SvcError('invalid_request', message), requestId);
  // The rest of the request is not read.
  response.writeHead(400, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  });
  response.end(body);
}
