import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';

/** Sends bytes and returns everything the server sends until it closes the connection, as text. */
export function sendRawRequest(url: string, bytes: string | Uint8Array): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
}

/** Parses the JSON body of a raw response. */
export function parseResponseBody(response: string) {
  return JSON.parse(response.slice(response.indexOf('\r\n\r\n') + '\r\n\r\n'.length));
}

export interface ReceivedResponse {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

/** Sends a request with exactly these headers, which `fetch` does not allow. Reads only the start of a live stream, which has no end. */
export function sendRequest(
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
  content?: string,
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) {
        chunks.push(chunk);
        if (response.headers['content-type'] === 'text/event-stream') break;
      }
      const body = Buffer.concat(chunks);
      resolve({ status: response.statusCode, headers: response.headers, body, text: body.toString() });
    });
    outgoing.on('error', reject).end(content);
  });
}
