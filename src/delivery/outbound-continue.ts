/** `100 Continue` that nobody asked for. */
import type { Socket } from 'node:net';

const INTERIM = Buffer.from('HTTP/1.1 100');
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const HEAD_LIMIT_BYTES = 16 * 1024;

/**
 * Lets a socket swallow every `100 Continue` before the answer to a request. Receivers may send one unasked and a
 * client has to skip it (RFC 9110, section 15.2), but undici tears the connection down; it skips the other 1xx.
 * @returns a function to call whenever a request is about to be written.
 */
export function skipContinue(socket: Socket): () => void {
  const read: (size?: number) => Buffer | null = socket.read.bind(socket);
  let held: Buffer | null = null; // the beginning of an answer that may yet turn out to be an interim one
  let answerBegun = true;
  socket.read = (size?: number) => {
    const chunk = read(size);
    if (chunk === null || answerBegun) return chunk;
    const { begun, bytes } = afterInterim(held === null ? chunk : Buffer.concat([held, chunk]));
    answerBegun = begun;
    held = begun ? null : bytes;
    return begun ? bytes : null;
  };
  return () => {
    answerBegun = false;
  };
}

/** What stands after the interim answers at the start of `bytes`, and whether it is the start of a real answer. */
function afterInterim(bytes: Buffer): { begun: boolean; bytes: Buffer } {
  const start = bytes.subarray(0, INTERIM.length);
  if (!start.equals(INTERIM.subarray(0, start.length))) return { begun: true, bytes };
  const end = bytes.indexOf(END_OF_HEAD);
  if (end === -1) return { begun: bytes.length > HEAD_LIMIT_BYTES, bytes };
  return afterInterim(bytes.subarray(end + END_OF_HEAD.length));
}
