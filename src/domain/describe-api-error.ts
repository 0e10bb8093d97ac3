/** Describes the error codes of the API (§7 of the service description, gap `error.codes`) for readers of the request log. */
const texts: Readonly<Record<string, string>> = {
  invalid_request: 'The body is not valid JSON, or the query is invalid.',
  unauthenticated: 'The API key is missing, unknown or revoked, or belongs to the other environment.',
  permission_denied: 'The API key lacks the required scope.',
  not_found: 'The path does not exist, or the resource does not exist or is not accessible with this key.',
  method_not_allowed: 'The path does not support this method. The Allow header lists the valid methods.',
  idempotency_in_progress: 'A request with the same idempotency key was still in progress.',
  idempotency_key_reused: 'The idempotency key was already used for a request with a different body.',
  payload_too_large: 'The body is larger than the limit.',
  unsupported_media_type: 'The body is compressed, or its Content-Type is not JSON in UTF-8.',
  validation_failed: 'A field is missing or invalid; the message of the response names it.',
  rate_limited: 'The key exceeded its rate limit; Retry-After says when to try again.',
  internal_error: 'The emulator had an internal error; see its output for the cause.',
  storage_unavailable:
    'The database cannot be written. Check the free space and the permissions of its folder.',
};

/** A sentence about an `error.code`; null for a code that is not the emulator's own, which an injected fault can set. */
export function describeApiError(code: string): string | null {
  return texts[code] ?? null;
}
