/** Prepares a request and its response for the request log: without secrets, and limited in size. */
import type { H3Event, HTTPResponse } from 'h3';
import { maskSecret } from '../domain/credentials.ts';
import {
  isSecretName,
  REMOVED,
  removeKnownSecrets,
  removeSecretParameters,
} from '../domain/secret-remover.ts';
import type { ApiRequestMessages } from '../store/api-requests.ts';

/** Characters of the path, the user agent and an error message. */
export const LOGGED_TEXT_LIMIT = 2048;
/** Characters. */
const RESPONSE_BODY_LIMIT = 64 * 1024;
/** Bytes. The default of the gap `body.limit`, so that every accepted request can be sent again. */
const REQUEST_BODY_LIMIT = 256 * 1024;

/** Longer than a secret, so that one at the limit is removed as a whole. */
const SECRET_MARGIN = 256;

/** Text without secrets, cut off at the limit. */
export function toLoggedText(text: string, limit: number): string {
  return removeKnownSecrets(text.slice(0, limit + SECRET_MARGIN)).slice(0, limit);
}

/** The path and the query, without secrets. */
export function toLoggedPath({ url }: H3Event): string {
  return removeKnownSecrets(url.pathname + removeSecretParameters(url.search));
}

interface Exchange {
  readonly event: H3Event;
  /** The result of {@link toLoggedPath}. */
  readonly path: string;
  /** Null if it was not read. */
  readonly body: Buffer | null;
  readonly response: HTTPResponse;
}

export function toLoggedMessages({ event, path, body, response }: Exchange): ApiRequestMessages {
  const isPathTruncated = path.length > LOGGED_TEXT_LIMIT;
  const isBodyTruncated = body !== null && body.length > REQUEST_BODY_LIMIT;
  const text = typeof response.body === 'string' ? response.body : '';
  const storedText = toLoggedText(text, RESPONSE_BODY_LIMIT);
  const hasResponse = response.status !== 0;
  return {
    request_headers: toLoggedHeaders(Object.entries(event.runtime?.node?.req.headers ?? {})),
    request_body: body?.subarray(0, REQUEST_BODY_LIMIT) ?? null,
    request_size: body?.length ?? null,
    request_truncated: isPathTruncated || isBodyTruncated ? 1 : 0,
    response_headers: hasResponse ? toLoggedHeaders(response.headers) : null,
    response_body: hasResponse ? storedText : null,
    response_size: hasResponse ? Buffer.byteLength(text) : null,
    response_truncated: text.length > RESPONSE_BODY_LIMIT ? 1 : 0,
  };
}

/** Headers as a JSON object. Node.js limits those of a request. */
function toLoggedHeaders(headers: Iterable<readonly [string, unknown]>): string {
  const logged: Record<string, string> = {};
  for (const [name, value] of headers) logged[name] = maskHeader(name, String(value));
  return JSON.stringify(logged);
}

const BEARER = /^(Bearer +)(\S+) *$/i;

/** The value of a header without secrets. An API key keeps its last four characters, which are shown in the list of keys. */
function maskHeader(name: string, value: string): string {
  if (!isSecretName(name)) return removeKnownSecrets(value);
  const [, scheme, key = ''] = (name === 'authorization' && BEARER.exec(value)) || [];
  return scheme === undefined ? REMOVED : scheme + maskSecret(key);
}
