import type { IncomingMessage } from 'node:http';
import type { H3Event } from 'h3';
import { SvcError } from '../errors.ts';

/**
 * Reads a request body whole, up to a limit (decision `body.limit`).
 * @throws SvcError `payload_too_large`; `invalid_request` when the client goes away in the middle.
 */
export function readBody(event: H3Event, limitBytes: number): Promise<Buffer> {
  const declared = Number(event.req.headers.get('content-length') ?? 0);
  if (declared > limitBytes) throw tooLarge(limitBytes);
  const request = event.runtime?.node?.req as IncomingMessage | undefined;
  return request ? readNodeBody(request, limitBytes) : readWebBody(event.req.body, limitBytes);
}

// Straight from the socket: the Fetch API's stream would cost more than the rest of the request.
function readNodeBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // What comes after the limit is read and dropped, so that the client gets to see the answer.
      if (size > limitBytes) {
        chunks.length = 0;
        reject(tooLarge(limitBytes));
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    const gone = () =>
      reject(new SvcError('invalid_request', 'The connection ended before the body was complete.'));
    request.on('error', gone);
    // Every request closes; making an error for it costs as much as half of the rest.
    request.on('close', () => request.complete || gone());
  });
}

async function readWebBody(body: ReadableStream<Uint8Array> | null, limitBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > limitBytes) throw tooLarge(limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(limitBytes: number): SvcError {
  return new SvcError('payload_too_large', `The body is larger than ${limitBytes} bytes.`);
}
