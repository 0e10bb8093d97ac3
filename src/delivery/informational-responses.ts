/** Skips informational responses (1xx), which precede the final one. */
import type { Socket } from 'node:net';
import {
  createTooManyResponsesError,
  HEADERS_LIMIT_BYTES,
  INFORMATIONAL_LIMIT,
  INFORMATIONAL_LIMIT_BYTES,
  ProtocolError,
} from './outbound-exchange.ts';

const INFORMATIONAL_START = Buffer.from('HTTP/1.1 1');
const SWITCHING_PROTOCOLS = Buffer.from('HTTP/1.1 101');
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * Makes a socket skip the informational responses to a request. A client must skip them (RFC 9110, section 15.2), but
 * undici reports `100 Continue` as an error and `101 Switching Protocols` as its own defect. The latter closes the
 * connection here, because no HTTP follows, and so does a response beyond the limits.
 * @returns a function to call before each request is written.
 */
export function skipInformationalResponses(socket: Socket): () => void {
  const read: (size?: number) => Buffer | null = socket.read.bind(socket);
  let heldBytes: Buffer | null = null; // the start of a response that may be informational
  let hasFinalStarted = true;
  let count = 0; // informational responses to this request
  let byteCount = 0; // their size
  socket.read = (size?: number) => {
    const chunk = read(size);
    if (chunk === null || hasFinalStarted) return chunk;
    const unread = heldBytes === null ? chunk : Buffer.concat([heldBytes, chunk]);
    const bytes = skipInformational(unread, () => ++count <= INFORMATIONAL_LIMIT);
    byteCount += unread.length - bytes.length;
    hasFinalStarted = !sharesStart(bytes, INFORMATIONAL_START) || bytes.length > HEADERS_LIMIT_BYTES;
    heldBytes = hasFinalStarted ? null : bytes;
    if (startsWith(bytes, SWITCHING_PROTOCOLS)) socket.destroy(createSwitchedProtocolsError());
    if (count > INFORMATIONAL_LIMIT || byteCount > INFORMATIONAL_LIMIT_BYTES) {
      hasFinalStarted = true;
      socket.destroy(createTooManyResponsesError());
      return null;
    }
    return hasFinalStarted ? bytes : null;
  };
  return () => {
    hasFinalStarted = false;
    count = 0;
    byteCount = 0;
  };
}

function createSwitchedProtocolsError(): ProtocolError {
  return new ProtocolError('returned 101 Switching Protocols, which was not requested');
}

/** The bytes after the leading informational responses, up to the first one for which `canSkip` returns false. */
function skipInformational(bytes: Buffer, canSkip: () => boolean): Buffer {
  let rest = bytes;
  while (startsWith(rest, INFORMATIONAL_START) && !startsWith(rest, SWITCHING_PROTOCOLS)) {
    const end = rest.indexOf(END_OF_HEAD);
    if (end === -1 || !canSkip()) break;
    rest = rest.subarray(end + END_OF_HEAD.length);
  }
  return rest;
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.length >= start.length && sharesStart(bytes, start);
}

/** Whether bytes and start are equal in their common length. */
function sharesStart(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length);
  return bytes.compare(start, 0, length, 0, length) === 0;
}
