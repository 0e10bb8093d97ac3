/** What the errors of the API mean (§7 of the service description, decision `error.codes`), for who reads its log. */
const texts: Readonly<Record<string, string>> = {
  invalid_request: 'The body is no readable JSON, or the query is wrong.',
  unauthenticated: 'There is no key in the Authorization header, or one that is not known or revoked.',
  permission_denied: 'The key lacks the scope that this needs, or is for another workspace.',
  not_found: 'Nothing is at this path, or there is no such thing that the key may see.',
  method_not_allowed: 'The path takes other methods; the Allow header of the answer names them.',
  idempotency_in_progress: 'A request with the same idempotency key was still being answered.',
  idempotency_key_reused: 'The idempotency key had been used for a request with another body.',
  payload_too_large: 'The body is larger than the limit.',
  unsupported_media_type: 'The Content-Type is not application/json.',
  validation_failed: 'A field is missing or cannot be what it is; the message of the answer names it.',
  rate_limited: 'The key has made more requests than its limit; Retry-After says when there is room again.',
  internal_error: 'The emulator failed; its own output says why.',
  storage_unavailable: 'The database takes no write: check free space and permissions of its folder.',
};

/** A sentence about an `error.code`; null for one that is not the emulator's own, as a fault may order. */
export function describeApiError(code: string): string | null {
  return texts[code] ?? null;
}
