/** Sends a request of this process to `/v1` as an API key of which only the hash is known. */
import type { H3 } from 'h3';

/** What {@link sendAsKey} knows about its request. */
export interface ResentRequest {
  readonly apiKeySeq: number;
  /** ID of the request; set when it arrives. */
  requestId: string;
}

const resentRequests = new WeakMap<Request, ResentRequest>();

/**
 * Sends a request as an API key. An injected fault can drop it, so there may be no response.
 * @returns the ID of the request in the request log
 */
export async function sendAsKey(app: H3, request: Request, apiKeySeq: number): Promise<string> {
  const resent = { apiKeySeq, requestId: '' };
  resentRequests.set(request, resent);
  await app.fetch(request);
  return resent.requestId;
}

/** Undefined for a request that {@link sendAsKey} did not send. */
export function findResentRequest(request: Request): ResentRequest | undefined {
  return resentRequests.get(request);
}
