/** The parts that all responses of an OpenAPI document share: their headers, and the responses with an error. */

import { type ErrorCode, errorDefinitions } from '../../domain/errors.ts';
import { idPatterns } from '../../domain/ids.ts';
import { controlErrorTexts, errorTexts } from '../error-texts.ts';

type Json = Record<string, unknown>;

const sharedErrors = [
  'invalid_request',
  'not_found',
  'forbidden_origin',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
  'internal_error',
  'storage_unavailable',
] as const;
const publicErrors: readonly ErrorCode[] = [
  ...sharedErrors,
  'unauthenticated',
  'permission_denied',
  'method_not_allowed',
  'rate_limited',
  'idempotency_in_progress',
  'idempotency_key_reused',
];
const controlErrors: readonly ErrorCode[] = [...sharedErrors, 'token_required', 'conflict', 'usage'];

/** The field `code` of an error: every code of the document, with its status and its meaning. */
export function describeErrorCodes(isPublic: boolean): Json {
  const codes = isPublic ? publicErrors : controlErrors;
  const lines = codes.map((code) => {
    const text = (isPublic ? undefined : controlErrorTexts[code]) ?? errorTexts[code];
    return `- \`${code}\` (${errorDefinitions[code].status}): ${text}`;
  });
  return {
    type: 'string',
    enum: codes,
    description: ['Machine-readable error code.', '', ...lines].join('\n'),
  };
}

/** @property only the responses that have the header (default: all) */
interface Header {
  readonly only?: 'public' | 'error' | 'created';
  readonly description: string;
  readonly schema: Json;
}

const headers = {
  'Request-Id': {
    description: 'ID of the request.',
    schema: { type: 'string', pattern: idPatterns.request.source },
  },
  'RateLimit-Policy': {
    only: 'public',
    description:
      'Rate limit of the API key: `q` requests in `w` seconds. Present on responses to authenticated requests if rate limiting is enabled.',
    schema: { type: 'string', examples: ['"api-key";q=200;w=2'] },
  },
  RateLimit: {
    only: 'public',
    description:
      'Number of requests that remain (`r`), and number of seconds until the full limit is available again (`t`). Present on responses to authenticated requests if rate limiting is enabled.',
    schema: { type: 'string', examples: ['"api-key";r=199;t=1'] },
  },
  'WWW-Authenticate': {
    only: 'error',
    description: 'Authentication scheme to use. Present if the status is 401.',
    schema: { type: 'string', pattern: '^Bearer' },
  },
  'Retry-After': {
    only: 'error',
    description: 'Number of seconds to wait before the next request, if the request can be repeated.',
    schema: { type: 'integer', minimum: 1 },
  },
  Allow: {
    only: 'error',
    description: 'Methods that the path supports. Present if the status is 405.',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    only: 'created',
    description:
      'Present if the response is the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { const: 'true' },
  },
} as const satisfies Readonly<Record<string, Header>>;

/** The headers of the responses of this kind. */
export function describeHeaders(isPublic: boolean, kind: 'result' | 'created' | 'error'): Json {
  const shown = Object.entries<Header>(headers).filter(
    ([, { only = kind }]) => only === kind || (only === 'public' && isPublic),
  );
  return Object.fromEntries(shown.map(([name, { only: _, ...header }]) => [name, header]));
}
