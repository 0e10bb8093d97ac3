import type { Duplex } from 'node:stream';
import { systemClock } from '../clock/wall-clock.ts';
import { UlidGenerator } from '../domain/ids.ts';
import { SvcError } from '../errors.ts';
import { toErrorJson } from './responses.ts';

/** Separate from the ids of the emulator, because these requests are not in the request log. */
const ids = new UlidGenerator();

/** The id of a request that is rejected before it reaches the app. */
export function nextUnloggedRequestId(): string {
  return ids.next('request', systemClock.now());
}

/** Responds to bytes that Node.js cannot parse as a request, and closes the connection. */
export function rejectMalformedRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const requestId = nextUnloggedRequestId();
  const body = toErrorJson(new SvcError('invalid_request', toMessage(error)), requestId);
  const head = [
    'HTTP/1.1 400 Bad Request',
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function toMessage({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'The headers of the request are too large.';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request was not complete in time.';
  return `The request is not valid HTTP: ${message.replace(/^Parse Error: /, '')}.`;
}
