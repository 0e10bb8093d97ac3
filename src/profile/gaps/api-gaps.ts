/** Gaps about API requests and responses. */

import { DAY_MS, SECOND_MS } from '../../domain/duration.ts';
import { publicEventFilters } from '../../resources/event.ts';
import { byteSize, duration, text, wholeNumber } from '../../resources/value-schemas.ts';
import { formatNames, type Gap } from '../gap.ts';
import { objectOf, objectOrOff, oneOf, withRule } from '../gap-schemas.ts';

export const apiGaps = {
  'idempotency.scope': {
    question: 'What is the scope of an idempotency key, and how long is it kept?',
    references: ['§4.3'],
    reason:
      'Two clients, or two operations, can use the same key without a conflict. A key is 1 to 255 visible ASCII characters, with or without quotes.',
    schema: objectOf({
      unique_within: oneOf({
        api_key_method_path: 'API key, method and path',
        api_key: 'API key: the same idempotency key on another path is a conflict',
      }),
      retention: duration(wholeNumber(SECOND_MS, 30 * DAY_MS)),
    }),
    relaxed: { unique_within: 'api_key_method_path', retention: '24h' },
  },
  'idempotency.replay': {
    question: 'What is the response to a repeated request?',
    references: ['§4.3'],
    reason:
      'A client that retries can handle both responses in the same way. The header shows which one it received.',
    answer: 'the stored response, with the same status and bytes and the header `Idempotent-Replayed: true`',
  },
  'idempotency.conflict': {
    question: 'What is the response when a stored response cannot be replayed?',
    references: ['§7.idempotency'],
    reason:
      'This follows the IETF draft *The Idempotency-Key HTTP Header Field*. A rejected request has no effect, so its key can be used again.',
    answer:
      '422 `idempotency_key_reused` if the body differs; 409 `idempotency_in_progress` with `Retry-After: 1` if the first request is still running. 401, 403, 415 and 429 responses and validation errors are not stored',
  },
  'list.workspace': {
    question: 'Which query parameter selects the workspace of a list?',
    references: ['§4.2'],
    reason:
      'The field has this name everywhere else. If a key belongs to one workspace, the parameter is optional.',
    schema: text(
      'the name of a query parameter, such as "workspace", other than starting_after, limit and type',
      (name) => /^[a-z]\w{0,63}$/i.test(name) && !['starting_after', 'limit', 'type'].includes(name),
    ),
    relaxed: 'workspace_id',
  },
  'list.limit': {
    question: 'How many items does a page have, by default and at most?',
    references: ['§4.5', '§8.sizes'],
    reason:
      'The default page is large enough to need few requests, and small enough to read. A limit out of range is an error; it is never adjusted silently.',
    schema: withRule(
      objectOf({ default: wholeNumber(1, 1_000), max: wholeNumber(1, 1_000) }),
      'where "default" is at most "max"',
      (limit) => limit.default <= limit.max,
    ),
    relaxed: { default: 20, max: 100 },
  },
  'list.order': {
    question: 'How is a list sorted, and what does the cursor mean?',
    references: ['§4.1', '§2.list.end-cursor'],
    reason: 'People usually look for the newest items.',
    answer: 'newest first; a page starts after the cursor; an unknown cursor is an error',
  },
  'list.filter': {
    question: 'Which filters does the list of events have?',
    references: ['§4.5'],
    reason: 'Every event has a type, and people usually filter by type.',
    answer: `${formatNames(publicEventFilters)}, exact match`,
  },
  'key.scopes': {
    question: 'Which scopes exist, and do reads require one?',
    references: ['§5.6'],
    reason:
      'The two described scopes protect writes. `events:read` and `workspaces:read` are additions that let you restrict reads.',
    schema: oneOf({
      required: 'reads require `events:read` or `workspaces:read`',
      not_required: 'every key can read what belongs to its workspace',
    }),
    relaxed: 'required',
  },
  'key.environment': {
    question: 'What is the response to a key of the other environment?',
    references: ['§5.2', '§7.401'],
    reason:
      'The key does not exist in this environment. The message states the cause, so that you do not have to search for it.',
    answer: '401; the message says which environment the key belongs to',
  },
  'workspace.hidden': {
    question: 'What is the response when a resource belongs to a workspace that the key cannot access?',
    references: ['§7.404', '§5.3'],
    reason: 'A key must not reveal what exists in other workspaces.',
    answer: '404, as if the resource did not exist',
  },
  'error.codes': {
    question: 'Which other statuses and error codes exist?',
    references: ['§7.codes'],
    reason:
      'There is one code for each problem that a client can handle. The body has exactly the described fields.',
    answer:
      '400 `invalid_request`, 401 `unauthenticated`, 403 `permission_denied`, 403 `forbidden_origin` (for another `Host` while only this machine can reach the emulator), 404 `not_found`, 405 `method_not_allowed` with `Allow`, 409 `idempotency_in_progress`, 413 `payload_too_large`, 415 `unsupported_media_type`, 422 `validation_failed` (names the field by its path) and `idempotency_key_reused`, 429 `rate_limited`, 500 `internal_error`, 503 `storage_unavailable` when the database cannot be written',
  },
  'request.id': {
    question: 'Where does a response carry the request ID?',
    references: ['§7.envelope', '§2.ids.request'],
    reason: 'You may need to look up a successful request as well as a failed one.',
    answer: 'every response has `Request-Id: req_…`; the error body repeats it',
  },
  'rate.limit': {
    question: 'How many requests can a client make with one key?',
    references: ['§7.429', '§8.rate-values'],
    reason:
      'The default does not slow down a test suite. The strict profile lets you test how your client handles a 429.',
    schema: objectOrOff(
      objectOf({ per_second: wholeNumber(1, 1_000_000), burst: wholeNumber(1, 1_000_000) }),
    ),
    relaxed: 'off',
    strict: { per_second: 100, burst: 200 },
  },
  'rate.headers': {
    question: 'Which headers report the rate limit?',
    references: ['§8.rate-values'],
    reason: 'This follows the IETF draft *RateLimit header fields for HTTP*.',
    answer:
      '`RateLimit-Policy` and `RateLimit` on every response to a request that counts against the limit; `Retry-After` on a 429',
  },
  'body.limit': {
    question: 'How large can a request body be?',
    references: ['§8.sizes'],
    reason: 'The default is far more than a typical event needs, and still cheap to store and send.',
    schema: byteSize('1KiB', '64MiB'),
    relaxed: '256KiB',
  },
  'body.charset': {
    question: 'Which character encodings can a request body use?',
    references: ['§2.request-body'],
    reason:
      'RFC 8259 requires UTF-8 for JSON that systems exchange. A body in another encoding would be decoded incorrectly.',
    answer:
      'UTF-8 only: another `charset` in `Content-Type` returns 415 `unsupported_media_type`; bytes that are not UTF-8 return 400 `invalid_request`',
  },
  'path.slash': {
    question: 'Is `/v1/events/`, with a trailing slash, the same path?',
    references: ['§4.get-event', '§9.version'],
    reason:
      'Only the described paths exist. A client that relies on a lenient emulator could fail in production.',
    answer: 'no: 404 `not_found`, like every path that is not described',
  },
  version: {
    question: 'What is the response to versions other than `/v1`?',
    references: ['§9.version', '§9.policy'],
    reason: 'Only `/v1` is described.',
    answer: '404',
  },
} satisfies Record<string, Gap>;
