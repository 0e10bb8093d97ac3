/** What requests to the API are held to, and how it answers. */

import type { Gap } from '../gap.ts';
import { byteSize, duration, objectOf, oneOf, orOff, wholeNumber, withRule } from '../value-schema.ts';

export const apiGaps = {
  'idempotency.scope': {
    question: 'Within what is an idempotency key unique, and for how long?',
    references: ['§4.3'],
    reason:
      'Two clients, or two operations, that choose the same key do not meet. A key is 1 to 255 visible ASCII characters, bare or quoted.',
    schema: objectOf({
      unique_within: oneOf({
        api_key_method_path: 'API key, method and path',
        api_key: 'API key: using it on another path is a conflict',
      }),
      retention: duration('1s', '30d'),
    }),
    relaxed: { unique_within: 'api_key_method_path', retention: '24h' },
  },
  'idempotency.replay': {
    question: 'What is the answer to a request that was already answered?',
    references: ['§4.3'],
    reason: 'A client that retries need not tell the two apart; one that wants to, can.',
    answer: 'same status and same bytes, with `Idempotent-Replayed: true`',
  },
  'idempotency.conflict': {
    question: 'What is the answer to a key that cannot be replayed?',
    references: ['§7.idempotency'],
    reason: 'As in the IETF draft. A refused request did nothing, so its key stays free.',
    answer:
      'another body: 422 `idempotency_key_reused`; still running: 409 `idempotency_in_progress` with `Retry-After: 1`. 401, 403, 415, 429 and validation failures are not stored',
  },
  'list.workspace': {
    question: 'Which query parameter names the workspace of a list?',
    references: ['§4.2'],
    reason:
      'The name that the field has everywhere else. A key that is bound to one workspace may leave it out.',
    schema: oneOf({ workspace_id: '`?workspace_id=ws_…`', workspace: '`?workspace=ws_…`' }),
    relaxed: 'workspace_id',
  },
  'list.limit': {
    question: 'How many items has a page, by default and at most?',
    references: ['§4.5', '§8.sizes'],
    reason:
      'Large enough for few requests, small enough to read. A limit out of range is an error, never silently another.',
    schema: withRule(
      objectOf({ default: wholeNumber(1, 1_000), max: wholeNumber(1, 1_000) }),
      '"default" not above "max"',
      (limit) => limit.default <= limit.max,
    ),
    relaxed: { default: 20, max: 100 },
  },
  'list.order': {
    question: 'In which order is a list, and what does the cursor mean?',
    references: ['§4.1', '§2.list.end-cursor'],
    reason: 'The latest is what one looks for.',
    answer: 'newest first; the page starts after the cursor; an unknown cursor is an error',
  },
  'list.filter': {
    question: 'By what can events be filtered?',
    references: ['§4.5'],
    reason: 'The one field that every event has and that is worth asking for.',
    answer: '`type`, exactly',
  },
  'key.scopes': {
    question: 'Which scopes exist, and do reads need one?',
    references: ['§5.6'],
    reason:
      'The two named scopes guard writes; the two beside them, `events:read` and `workspaces:read`, let a key do less than read everything.',
    schema: oneOf({
      required: 'reads need `events:read` or `workspaces:read`',
      not_required: 'every key may read what belongs to its workspace',
    }),
    relaxed: 'required',
  },
  'key.environment': {
    question: 'What is the answer to a key of the other environment?',
    references: ['§5.2', '§7.401'],
    reason: 'To this environment the key is unknown; the message saves the search for why.',
    answer: '401, and the message says which environment the key belongs to',
  },
  'workspace.hidden': {
    question: 'What is the answer to a resource of another workspace than that of the key?',
    references: ['§7.404', '§5.3'],
    reason: 'A key must not be able to find out what exists elsewhere.',
    answer: '404, as if it did not exist',
  },
  'error.codes': {
    question: 'Which other statuses and codes are there?',
    references: ['§7.codes'],
    reason:
      'One code for each thing that a client can do about it; the body has exactly the described members.',
    answer:
      '400 `invalid_request`, 401 `unauthenticated`, 403 `permission_denied` and, for another `Host` while only this machine can reach the emulator, `forbidden_origin`, 404 `not_found`, 405 `method_not_allowed` with `Allow`, 409 `idempotency_in_progress`, 413 `payload_too_large`, 415 `unsupported_media_type`, 422 `validation_failed` (names the field by its path) and `idempotency_key_reused`, 429 `rate_limited`, 500 `internal_error`, 503 `storage_unavailable` when the disk takes no write',
  },
  'request.id': {
    question: 'Where is the request identifier?',
    references: ['§7.envelope', '§2.ids.request'],
    reason: 'A request that went well is looked up as often as one that did not.',
    answer: 'every response has `Request-Id: req_…`; the error body repeats it',
  },
  'rate.limit': {
    question: 'How many requests may a key make?',
    references: ['§7.429', '§8.rate-values'],
    reason: 'A test suite should not be slowed down; a client should once have seen a 429.',
    schema: orOff(objectOf({ per_second: wholeNumber(1, 1_000_000), burst: wholeNumber(1, 1_000_000) })),
    relaxed: 'off',
    strict: { per_second: 100, burst: 200 },
  },
  'rate.headers': {
    question: 'Which headers report the rate limit?',
    references: ['§8.rate-values'],
    reason: 'As in the IETF draft.',
    answer: '`RateLimit-Policy` and `RateLimit` on every limited response; `Retry-After` on a 429',
  },
  'body.limit': {
    question: 'How large may a request body be?',
    references: ['§8.sizes'],
    reason: 'Far beyond a sensible event, and still harmless to keep and to send.',
    schema: byteSize('1KiB', '64MiB'),
    relaxed: '256KiB',
  },
  'body.charset': {
    question: 'Which character encodings may a request body have?',
    references: ['§2.request-body'],
    reason: 'JSON between systems is UTF-8 (RFC 8259). Another encoding would be read as other characters.',
    answer:
      'UTF-8 only: a `charset` other than `utf-8` in `Content-Type` is 415 `unsupported_media_type`; bytes that are not UTF-8 are 400 `invalid_request`',
  },
  'path.slash': {
    question: 'Is `/v1/events/`, with a slash at its end, the same path?',
    references: ['§4.get-event', '§9.version'],
    reason:
      'Only the described paths exist. A client that a lenient emulator accepts could fail in production.',
    answer: 'no: 404 `not_found`, as for any other path that is not described',
  },
  version: {
    question: 'What of versions other than `/v1`?',
    references: ['§9.version', '§9.policy'],
    reason: 'Only one is described.',
    answer: 'another segment is 404',
  },
} satisfies Record<string, Gap>;
