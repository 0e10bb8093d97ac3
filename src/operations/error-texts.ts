/** What each exit code and each error code means, for the OpenAPI documents, the reference page of errors and the request log. */
import type { ErrorCode, ExitCode } from '../domain/errors.ts';

export const exitCodeTexts: Readonly<Record<ExitCode, string>> = {
  0: 'The command succeeded.',
  1: 'The command ran, but the result is negative. For example, a signature is invalid, a delivery failed, or a receiver check failed.',
  2: 'An option, an argument, a file or the request is invalid, or the emulator cannot start with the given settings.',
  3: 'No emulator responds.',
  4: 'The resource does not exist.',
  5: 'The operation timed out.',
  70: 'An internal error of svc occurred, or the database cannot be written.',
  74: 'Standard output cannot be written, for example because the disk is full.',
  130: 'The command was interrupted, for example with Ctrl-C.',
};

export const errorTexts: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'The body is not a valid JSON object, or a header or a query parameter is invalid.',
  unauthenticated: 'The API key is missing, unknown or revoked, or belongs to the other environment.',
  permission_denied: 'The API key lacks a scope. The message names the scope.',
  not_found:
    'The path or the resource does not exist, or the API key has no access to the workspace of the resource.',
  method_not_allowed:
    'The path does not support this method. The `Allow` header lists the supported methods.',
  idempotency_in_progress:
    'The first request with this `Idempotency-Key` is still in progress. Wait for the number of seconds in `Retry-After`, then retry.',
  payload_too_large: 'The body exceeds the size limit.',
  unsupported_media_type: 'The body is compressed, or its `Content-Type` is not `application/json` in UTF-8.',
  validation_failed:
    'A field of the body is missing or invalid. The message starts with the path of the field.',
  idempotency_key_reused: 'The `Idempotency-Key` was already used with a different body.',
  rate_limited: 'Too many requests. Wait for the number of seconds in `Retry-After`, then retry.',
  internal_error:
    'The emulator had an internal error, or applied an injected fault with a 5xx status. Find the request with `svc logs list`.',
  conflict:
    'The operation is not possible in the current state, for example because the emulator was reset in the meantime.',
  forbidden_origin: 'The `Host` or `Origin` header is not allowed.',
  token_required: 'The control token is missing or invalid.',
  storage_unavailable:
    'SQLite cannot read or write the database. Check the free disk space and the permissions of the database folder.',
  usage: 'An option, an argument or a setting is invalid.',
  output_failed: 'Standard output cannot be written.',
  untrusted_file: 'svc does not use a configuration file or run file, because another user can change it.',
  no_emulator: 'No emulator responds at the address.',
  already_running: 'An emulator is already running in this folder.',
  port_in_use: 'Another program uses the port.',
  no_tunnel: 'The tunnel did not start.',
  database_in_use: 'Another process has locked the database.',
  sqlite_unavailable: 'The SQLite driver is missing or cannot be loaded.',
  database_unusable:
    'The file is not an svc database of this version and environment, is damaged, or is read-only.',
  unexpected_status: 'A delivery settled with a different status than expected.',
  stalled:
    'No delivery can settle before the time limit, because the next attempt is due later, the clock is frozen, or the endpoint is disabled.',
  api_failure:
    'The API returned a server error, or closed the connection without a response, usually because of an injected fault.',
  timeout: 'The operation timed out.',
  interrupted: 'The operation was interrupted, or the emulator was closed.',
};

/** Descriptions for the control plane, where {@link errorTexts} describes `/v1` or the command line. */
export const controlErrorTexts: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_found: 'The path or the resource does not exist.',
  internal_error: 'The emulator had an internal error. Its log contains the details.',
  usage:
    'The file at `path` cannot be read or written, the fixture is invalid, or `to` is before the current schedule time.',
};

/** The description of an `error.code` as plain text; null for a code that only an injected fault can have set. */
export function describeApiError(code: string): string | null {
  const texts: Readonly<Record<string, string>> = errorTexts;
  return Object.hasOwn(texts, code) ? (texts[code] ?? '').replaceAll('`', '') : null;
}
