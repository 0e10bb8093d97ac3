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
  return JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4));
}
