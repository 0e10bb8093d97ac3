import { expect, it } from 'vitest';
import { describeCause, findAttemptHints } from '../../src/diagnosis/attempt-hints.ts';
import type { AttemptOutcome } from '../../src/domain/delivery.ts';
import type { FaultKind } from '../../src/domain/fault.ts';
import { formatHint } from '../../src/errors.ts';

const delivery = { id: 'del_1', webhook_id: 'wh_1', url: 'http://127.0.0.1:3000/hooks?a=1&b=2' };
/** The hints as text. */
const listHints = (...args: Parameters<typeof findAttemptHints>) => findAttemptHints(...args).map(formatHint);
const check = "svc receiver check 'http://127.0.0.1:3000/hooks?a=1&b=2' --secret SECRET";

it.each<[AttemptOutcome, number | null, string]>([
  ['http_error', 302, 'Register the final URL'],
  ['http_error', 399, 'Register the final URL'],
  ['http_error', 400, 'svc verify --delivery del_1'],
  ['http_error', 401, 'svc verify --delivery del_1'],
  ['http_error', 403, 'svc verify --delivery del_1'],
  ['http_error', 404, 'Check the path'],
  ['http_error', 405, 'Check the path'],
  ['http_error', 410, 'Check the path'],
  ['http_error', 418, 'to find out why it rejected the delivery'],
  ['http_error', 429, '--rate'],
  ['http_error', 499, 'to find out why it rejected the delivery'],
  ['http_error', 500, 'to find the error'],
  ['http_error', 503, 'to find the error'],
  ['timeout', null, 'as soon as you have stored the delivery'],
  ['connection_error', null, 'Start or fix the receiver'],
  ['dns_error', null, 'Correct the host name'],
  ['tls_error', null, 'Correct the TLS settings'],
  ['blocked', null, 'svc webhooks update wh_1 --url URL'],
])('the hint after %s %s says what to do', (outcome, response_status, step) => {
  expect(listHints({ outcome, response_status }, delivery)[0]).toContain(step);
});

it('a successful attempt has no hints', () => {
  expect(listHints({ outcome: 'succeeded', response_status: 200 }, delivery)).toEqual([]);
});

it.each<FaultKind>([
  'tamper-body',
  'bad-signature',
  'stale-timestamp',
  'old-secret',
  'drop',
  'error-response',
  'timeout',
  'reset',
])('the hint after the fault %s attributes the failure to the fault', (kind) => {
  const attempt = { outcome: 'http_error', response_status: 400, fault: { id: 'flt_1', kind } } as const;
  expect(listHints(attempt, delivery)).toEqual([expect.stringContaining('svc faults clear flt_1')]);
});

it('the hint after a fault that no longer applies is to replay the delivery', () => {
  const fault = { id: 'flt_1', kind: 'timeout' } as const;
  const attempt = { outcome: 'timeout', response_status: null, fault } as const;
  expect(listHints(attempt, delivery, false)).toEqual([
    'The injected fault (timeout) no longer applies. Replay the delivery with: svc deliveries replay del_1 --wait',
  ]);
});

it.each<[FaultKind | undefined, string]>([
  [undefined, 'Your receiver returned 503.'],
  ['slow-body', 'Your receiver returned 503.'],
  [
    'error-response',
    'An injected fault returned 503. Your receiver was not called. The injected fault error-response (flt_1) caused this.',
  ],
  [
    'tamper-body',
    'Your receiver returned 503. The injected fault tamper-body (flt_1) had changed the request.',
  ],
])('the cause of a 503 with the fault %s says who returned it', (kind, cause) => {
  const fault = kind && { id: 'flt_1', kind };
  const response = { outcome: 'http_error', response_status: 503, error: 'returned 503' } as const;
  const attempt = { number: 1, ...response, fault };
  expect(describeCause(attempt)).toBe(cause);
});

it.each<[AttemptOutcome, number | null, string | null, string]>([
  ['http_error', 400, 'returned 400', 'Your receiver returned 400.'],
  ['http_error', 302, 'redirected to https://example.com/', 'Redirected to https://example.com/.'],
  ['timeout', 503, 'started a response but did not finish it', 'Started a response but did not finish it.'],
  ['dns_error', null, null, 'DNS lookup failed.'],
  ['succeeded', 204, null, 'The receiver returned 204 to attempt 1.'],
])('the cause of %s with the status %s and the error %j is %j', (outcome, response_status, error, cause) => {
  expect(describeCause({ number: 1, outcome, response_status, error })).toBe(cause);
});

it.each<[FaultKind, AttemptOutcome, number | null, string]>([
  [
    'bad-signature',
    'succeeded',
    200,
    'The receiver accepted an attempt that the injected fault bad-signature had made invalid.',
  ],
  ['old-secret', 'succeeded', 200, 'The receiver returned 200 to attempt 1.'],
  ['reset', 'connection_error', null, 'Reset. The injected fault reset (flt_1) caused this.'],
])(
  'the cause of an attempt with the fault %s and the outcome %s says what the fault did',
  (kind, outcome, response_status, cause) => {
    const attempt = { number: 1, outcome, response_status, error: 'reset', fault: { id: 'flt_1', kind } };
    expect(describeCause(attempt)).toBe(cause);
  },
);

it('an unfinished response with an error status is not a response of the code that verifies', () => {
  expect(listHints({ outcome: 'timeout', response_status: 503 }, delivery)).toHaveLength(1);
});

it.each<[FaultKind, AttemptOutcome, number | null, string]>([
  ['duplicate', 'http_error', 400, 'svc verify --delivery del_1'],
  ['old-secret', 'timeout', null, 'Return a 2xx response'],
  ['tamper-body', 'http_error', 404, 'Check the path'],
])('the fault %s did not cause %s with the status %s', (kind, outcome, response_status, step) => {
  const attempt = { outcome, response_status, fault: { id: 'flt_1', kind } };
  expect(listHints(attempt, delivery)[0]).toContain(step);
});

it('the hint after a fault that receivers cannot notice attributes the failure to the receiver', () => {
  const fault = { id: 'flt_1', kind: 'duplicate' } as const;
  expect(listHints({ outcome: 'timeout', response_status: null, fault }, delivery)).toEqual([
    expect.stringContaining('Return a 2xx'),
  ]);
});

it.each<[FaultKind, boolean]>([
  ['tamper-body', true],
  ['bad-signature', true],
  ['stale-timestamp', true],
  // The old secret is still valid during a rotation.
  ['old-secret', false],
  ['slow-body', false],
])('the hints report a receiver that accepts the fault %s: %s', (kind, isWrong) => {
  const attempt = { outcome: 'succeeded', response_status: 204, fault: { id: 'flt_1', kind } } as const;
  expect(listHints(attempt, delivery).join().includes(check)).toBe(isWrong);
});

it.each([400, 401, 403, 418, 422, 500, 503])(
  'svc receiver check with the URL of the receiver is suggested after %s',
  (response_status) => {
    const remedies = listHints({ outcome: 'http_error', response_status }, delivery);
    expect(remedies.at(-1)).toBe(
      `Check how the receiver handles signatures, duplicates and errors with: ${check}`,
    );
  },
);

it.each([302, 404, 405, 410, 429])(
  'svc receiver check is not suggested after %s, which does not come from the code that verifies',
  (response_status) => {
    expect(listHints({ outcome: 'http_error', response_status }, delivery)).toHaveLength(1);
  },
);
