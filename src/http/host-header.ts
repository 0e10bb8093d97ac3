/** Checks the `Host` header before anything builds a URL from it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeHandler } from 'h3';
import { parseAuthority } from '../domain/host-name.ts';
import { SvcError } from '../errors.ts';
import { toErrorText } from './respond.ts';
import { nextUnloggedRequestId } from './unreadable-request.ts';

/** Answers 400 to a request without exactly one valid `Host`; passes every other request on. */
export function requireValidHost(handler: NodeHandler): NodeHandler {
  return (request, response) => {
    const hosts = (request as IncomingMessage).headersDistinct.host ?? [];
    const [host = ''] = hosts;
    if (hosts.length === 1 && parseAuthority(host) !== null) return handler(request, response);
    return refuse(hosts, response as ServerResponse);
  };
}

function refuse(hosts: readonly string[], response: ServerResponse): void {
  const message =
    hosts.length === 0
      ? 'The request has no Host header.'
      : `The Host header must be one host name or address with an optional port, not ${JSON.stringify(hosts.join(', ').slice(0, 256))}.`;
  const requestId = nextUnloggedRequestId();
  const body = toErrorText(new SvcError('invalid_request', message), requestId);
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
