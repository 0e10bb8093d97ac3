/** Informational answers (1xx), which come before the real one. */
import type { Socket } from 'node:net';
import {
  HEADERS_LIMIT_BYTES,
  INFORMATIONAL_LIMIT,
  INFORMATIONAL_LIMIT_BYTES,
  ProtocolError,
  tooManyInformationalResponses,
} from './outbound-exchange.ts';

const INTERIM = Buffer.from('HTTP/1.1 1');
const SWITCHING_PROTOCOLS = Buffer.from('HTTP/1.1 101');
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * Lets a socket swallow the informational answers to a request. A client has to skip them, asked for or not (RFC
 * 9110, section 15.2), but undici takes `100 Continue` for an error. It takes `101 Switching Protocols` for a fault
 * of its own: that ends the connection here, for no HTTP follows. So does exceeding the limits, because reading such
 * responses for as long as they come would occupy the process.
 * @returns a function to call whenever a request is about to be written.
 */
export function skipInformationalResponses(socket: Socket): () => void {
  const read: (size?: number) => Buffer | null = socket.read.bind(socket);
  let held: Buffer | null = null; // the beginning of an answer that may turn out to be informational
  let answerBegun = true;
  let count = 0; // of informational responses to this request
  let byteCount = 0; // of theirs
  socket.read = (size?: number) => {
    const chunk = read(size);
    if (chunk === null || answerBegun) return chunk;
    const arrived = held === null ? chunk : Buffer.concat([held, chunk]);
    const bytes = afterInterim(arrived, () => ++count <= INFORMATIONAL_LIMIT);
    byteCount += arrived.length - bytes.length;
    answerBegun = !startsAlike(bytes, INTERIM) || bytes.length > HEADERS_LIMIT_BYTES;
    held = answerBegun ? null : bytes;
    if (startsWith(bytes, SWITCHING_PROTOCOLS)) socket.destroy(switchedProtocols());
    if (count > INFORMATIONAL_LIMIT || byteCount > INFORMATIONAL_LIMIT_BYTES) {
      answerBegun = true;
      socket.destroy(tooManyInformationalResponses());
      return null;
    }
    return answerBegun ? bytes : null;
  };
  return () => {
    answerBegun = false;
    count = 0;
    byteCount = 0;
  };
}

function switchedProtocols(): ProtocolError {
  return new ProtocolError('answered 101 Switching Protocols, which was not asked for');
}

/** What follows the informational responses at the start of the bytes, up to the first one that `take` refuses. */
function afterInterim(bytes: Buffer, take: () => boolean): Buffer {
  let rest = bytes;
  while (startsWith(rest, INTERIM) && !startsWith(rest, SWITCHING_PROTOCOLS)) {
    const end = rest.indexOf(END_OF_HEAD);
    if (end === -1 || !take()) break;
    rest = rest.subarray(end + END_OF_HEAD.length);
  }
  return rest;
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.length >= start.length && startsAlike(bytes, start);
}

/** Whether the bytes agree with the start as far as both go. */
function startsAlike(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length);
  return bytes.compare(start, 0, length, 0, length) === 0;
}
