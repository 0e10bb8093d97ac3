/** Sends a request of this process to `/v1` as an API key of which only the hash is known. */
import type { H3 } from 'h3';

export interface Sender {
  readonly apiKeySeq: number;
  /** ID of the request; set when it arrives. */
  requestId: string;
}

const senders = new WeakMap<Request, Sender>();

/**
 * Sends a request as an API key. An injected fault can drop it, so there may be no response.
 * @returns the ID of the request in the request log
 */
export async function sendAsKey(app: H3, request: Request, apiKeySeq: number): Promise<string> {
  const sender = { apiKeySeq, requestId: '' };
  senders.set(request, sender);
  await app.fetch(request);
  return sender.requestId;
}

/** The sender of a request of {@link sendAsKey}; undefined for all others. */
export function findSender(request: Request): Sender | undefined {
  return senders.get(request);
}
