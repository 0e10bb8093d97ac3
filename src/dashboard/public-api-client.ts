/** A client of the public API `/v1` (§4). Its requests appear in the request log like those of any client. */
import type { Event } from '../contract/resources.ts';
import { SvcError } from '../errors.ts';

/** An error in the documented format (§7). */
export interface ApiErrorResponse {
  /** Status of the response; 0 without a response. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Null when the response does not come from the API. */
  readonly requestId: string | null;
}

interface CreatedEvent {
  readonly event: Event;
  /** Whether an earlier request with the same idempotency key created the event. */
  readonly isReplayed: boolean;
}

interface Credentials {
  readonly apiKey: string;
  readonly idempotencyKey: string;
}

/**
 * `POST /events`
 * @param body JSON text, sent unchanged
 * @param credentials an empty `idempotencyKey` sends none
 * @throws SvcError `no_emulator` when the connection fails
 */
export async function createEvent(
  body: string,
  { apiKey, idempotencyKey }: Credentials,
): Promise<CreatedEvent | ApiErrorResponse> {
  const response = await fetch('/v1/events', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      ...(idempotencyKey === '' ? {} : { 'idempotency-key': idempotencyKey }),
    },
    body,
  }).catch((error) => {
    throw new SvcError('no_emulator', `Cannot connect to ${location.origin}.`, { cause: error });
  });
  const text = await response.text();
  if (!response.ok) return parseApiError(response.status, text);
  return { event: JSON.parse(text), isReplayed: response.headers.get('idempotent-replayed') === 'true' };
}

/** Limit for a response in another format. */
const MAX_MESSAGE_LENGTH = 500;

/** Parses an error response, also one of a proxy in front of the emulator. */
export function parseApiError(status: number, text: string): ApiErrorResponse {
  try {
    const { code, message, request_id: requestId } = JSON.parse(text).error;
    return { status, code, message, requestId };
  } catch {
    return {
      status,
      code: 'unknown',
      message: text.slice(0, MAX_MESSAGE_LENGTH) || 'The response body is empty.',
      requestId: null,
    };
  }
}
