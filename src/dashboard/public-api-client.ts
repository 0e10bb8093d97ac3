/** The public API `/v1` (§4), as any client sees it: what the page does here counts and is logged like the rest. */
import type { Event } from '../contract/resources.ts';
import { SvcError } from '../errors.ts';

/** An error in the documented form (§7). */
export interface ApiErrorResponse {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Null where the answer is not from the API. */
  readonly requestId: string | null;
}

export interface CreatedEvent {
  readonly event: Event;
  /** Whether it is the answer to an earlier request with the same idempotency key. */
  readonly isReplayed: boolean;
}

interface Credentials {
  readonly apiKey: string;
  readonly idempotencyKey: string;
}

/**
 * `POST /events`
 * @param body JSON text, sent as it is.
 * @param credentials with an empty `idempotencyKey` for none.
 * @throws SvcError `no_emulator` when nothing answers.
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
    throw new SvcError('no_emulator', `Nothing answers at ${location.origin}.`, { cause: error });
  });
  const text = await response.text();
  if (!response.ok) return parseApiError(response.status, text);
  return { event: JSON.parse(text), isReplayed: response.headers.get('idempotent-replayed') === 'true' };
}

/** What an answer that is no success says; also of one that something before the emulator gave. */
export function parseApiError(status: number, text: string): ApiErrorResponse {
  try {
    const { code, message, request_id: requestId } = JSON.parse(text).error;
    return { status, code, message, requestId };
  } catch {
    return {
      status,
      code: 'unknown',
      message: text.slice(0, 500) || 'The answer is empty.',
      requestId: null,
    };
  }
}
