/** The error responses of the OpenAPI documents, and the headers of all responses. Both are components, to which operations refer. */

import { type ErrorCode, getErrorDefinition } from '../../domain/errors.ts';
import { idPatterns, toExampleId } from '../../domain/ids.ts';
import { controlErrorTexts, errorTexts } from '../error-texts.ts';
import { isInputInQuery, type Operation, pathParameters } from '../operation.ts';

type Json = Record<string, unknown>;

/** Errors of the checks that the control plane makes before an operation. */
const CONTROL_ERRORS: readonly ErrorCode[] = ['token_required', 'forbidden_origin', 'rate_limited'];
/** Errors of operations that have a body. */
const BODY_ERRORS: readonly ErrorCode[] = [
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
];
const SERVER_ERRORS: readonly ErrorCode[] = ['internal_error', 'storage_unavailable'];

/** The codes of the errors that an operation of `/v1` can respond with. */
export function getPublicErrorCodes({ method, errors = [] }: Operation): ErrorCode[] {
  return [
    'invalid_request',
    'not_found',
    'method_not_allowed',
    'unauthenticated',
    'permission_denied',
    'forbidden_origin',
    'rate_limited',
    ...(isInputInQuery(method) ? [] : BODY_ERRORS),
    ...(method === 'POST' ? (['idempotency_in_progress', 'idempotency_key_reused'] as const) : []),
    ...errors,
    ...SERVER_ERRORS,
  ];
}

/** The codes of the errors that an operation of the control plane can respond with. */
export function getControlErrorCodes({ method, path, input, errors = [] }: Operation): ErrorCode[] {
  const fields = Object.keys((input as { entries?: object }).entries ?? {});
  // A field such as `workspace_id` or `id` names a resource, which may not exist.
  const canBeNotFound = pathParameters(path).length > 0 || fields.some((field) => /(?:^|_)id$/.test(field));
  return [
    'invalid_request',
    ...(canBeNotFound ? (['not_found'] as const) : []),
    ...CONTROL_ERRORS,
    ...(isInputInQuery(method) ? [] : BODY_ERRORS),
    ...errors,
    ...SERVER_ERRORS,
  ];
}

/** Collects the headers and the error responses that the operations of a document use. */
export class ResponseComponents {
  /** By header name. */
  readonly headers: Record<string, Json> = {};
  /** By error codes, joined by `_or_`. */
  readonly responses: Record<string, Json> = {};
  readonly #isPublic: boolean;
  readonly #errorSchema: Json;
  readonly #errorCodes = new Set<ErrorCode>();

  /** @param errorSchema schema of the body of an error. */
  constructor({ isPublic, errorSchema }: { readonly isPublic: boolean; readonly errorSchema: Json }) {
    this.#isPublic = isPublic;
    this.#errorSchema = errorSchema;
  }

  /** All error codes that responses of the document can have, sorted. */
  get errorCodes(): ErrorCode[] {
    return [...this.#errorCodes].sort();
  }

  /** References to the headers that every response has, and to those in `names`. */
  toHeaders(...names: readonly HeaderName[]): Json {
    const common: readonly HeaderName[] = this.#isPublic
      ? ['Request-Id', 'RateLimit-Policy', 'RateLimit']
      : ['Request-Id'];
    return Object.fromEntries(
      [...common, ...names].map((name) => {
        this.headers[name] = headers[name];
        return [name, { $ref: `#/components/headers/${name}` }];
      }),
    );
  }

  /** References to the error responses of these codes, by status. */
  toErrorResponses(codes: readonly ErrorCode[]): Json {
    const codesByStatus = new Map<number, Set<ErrorCode>>();
    for (const code of codes) {
      this.#errorCodes.add(code);
      const { status } = getErrorDefinition(code);
      codesByStatus.set(status, (codesByStatus.get(status) ?? new Set()).add(code));
    }
    return Object.fromEntries(
      [...codesByStatus].map(([status, sameStatus]) => {
        const name = [...sameStatus].join('_or_');
        this.responses[name] ??= this.#toErrorResponse([...sameStatus]);
        return [status, { $ref: `#/components/responses/${name}` }];
      }),
    );
  }

  #toErrorResponse(codes: readonly ErrorCode[]): Json {
    return {
      description: codes.map((code) => `\`${code}\`: ${this.#toText(code)}`).join(' '),
      headers: this.toHeaders(...codes.flatMap((code) => errorHeaders[code] ?? [])),
      content: { 'application/json': { schema: this.#errorSchema } },
    };
  }

  #toText(code: ErrorCode): string {
    return (this.#isPublic ? undefined : controlErrorTexts[code]) ?? errorTexts[code];
  }
}

const headers = {
  'Request-Id': {
    description: 'ID of the request.',
    schema: { type: 'string', pattern: idPatterns.request.source },
    example: toExampleId('request'),
  },
  'RateLimit-Policy': {
    description:
      'Rate limit of the API key: `q` requests in `w` seconds. Present on responses to authenticated requests if rate limiting is enabled.',
    schema: { type: 'string' },
    example: '"api-key";q=200;w=2',
  },
  RateLimit: {
    description:
      'Number of requests that remain (`r`), and number of seconds until the full limit is available again (`t`). Present on responses to authenticated requests if rate limiting is enabled.',
    schema: { type: 'string' },
    example: '"api-key";r=199;t=1',
  },
  'WWW-Authenticate': {
    description: 'Authentication scheme to use.',
    schema: { type: 'string', pattern: '^Bearer' },
    example: 'Bearer',
  },
  'Retry-After': {
    description: 'Number of seconds to wait before the next request.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'Idempotent-Replayed': {
    description:
      'Present if the response is the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { const: 'true' },
    example: 'true',
  },
  Allow: { description: 'Methods that the path supports.', schema: { type: 'string' }, example: 'POST, GET' },
} as const satisfies Readonly<Record<string, Json>>;

type HeaderName = keyof typeof headers;

const errorHeaders: Readonly<Partial<Record<ErrorCode, HeaderName>>> = {
  unauthenticated: 'WWW-Authenticate',
  token_required: 'WWW-Authenticate',
  method_not_allowed: 'Allow',
  idempotency_in_progress: 'Retry-After',
  rate_limited: 'Retry-After',
};
