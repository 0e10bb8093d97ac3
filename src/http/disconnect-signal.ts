import type { H3Event } from 'h3';

/** Aborted when the client closes the connection before it has the response. */
export function createDisconnectSignal({ runtime }: H3Event): AbortSignal {
  const response = runtime?.node?.res;
  const disconnected = new AbortController();
  // The client can have closed the connection while its request was read.
  if (response?.destroyed) disconnected.abort();
  response?.on('close', () => response.writableFinished || disconnected.abort());
  return disconnected.signal;
}
