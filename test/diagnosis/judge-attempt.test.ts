import { expect, it } from 'vitest';
import { describeAttempt } from '../../src/diagnosis/find-layer.ts';
import { judgeAttempt, judgeResult } from '../../src/diagnosis/judge-attempt.ts';
import type { AttemptOutcome } from '../../src/domain/delivery.ts';
import { formatHint } from '../../src/domain/errors.ts';
import { deliveryFaults, type FaultKind, getDeliveryFault } from '../../src/domain/fault.ts';
import type { Attempt } from '../../src/resources/attempt.ts';
import { anAttempt } from '../cli/fake-context.ts';

const delivery = { id: 'del_1', webhook_id: 'wh_1' };
const url = 'http://127.0.0.1:3000/hooks?a=1&b=2';
const request = { url, headers: {}, body: '{}', signed_content: '' };

/** What the result of an attempt shows. */
function judge(changes: Partial<Attempt>, isFaultActive = true) {
  const attempt = anAttempt({ request, response: null, error: null, ...changes });
  return judgeResult(attempt, describeAttempt(delivery, attempt), isFaultActive);
}
/** The hints as text. */
const listHints = (changes: Partial<Attempt>, isFaultActive = true) =>
  judge(changes, isFaultActive).hints.map(formatHint);

it.each<[AttemptOutcome, number | null, string]>([
  ['http_error', 302, 'svc webhooks update wh_1 --url URL'],
  ['http_error', 399, 'svc webhooks update wh_1 --url URL'],
  ['http_error', 400, 'to find out why it rejected the delivery'],
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
  ['blocked', null, 'svc webhooks update wh_1 --url URL'],
])('the hint after %s %s says what to do', (outcome, response_status, step) => {
  expect(listHints({ outcome, response_status })[0]).toContain(step);
});

it('a successful attempt has no hints', () => {
  expect(listHints({ outcome: 'succeeded', response_status: 200 })).toEqual([]);
});

/** What a response shows. */
function judgeResponse(status: number, headers: Record<string, string>, body: string) {
  const attempt = anAttempt({
    outcome: status < 300 ? 'succeeded' : 'http_error',
    response_status: status,
    request,
    response: { headers, body, encoding: 'utf8', truncated: false },
  });
  const values = describeAttempt(delivery, attempt);
  return judgeAttempt({
    ...{ attempt, attempts: [attempt], values, toleranceMs: 0 },
    ...{ report: null, found: null, isFaultActive: false },
  });
}

it('the hint after a redirect to another path does not say that deliveries belong to the target', () => {
  expect(judgeResponse(302, { location: '/v2/hooks' }, '').hints.map(formatHint)).toEqual([
    'Find out why the receiver redirects: it may require a sign-in. If it expects deliveries at the target, register it with: svc webhooks update wh_1 --url http://127.0.0.1:3000/v2/hooks',
  ]);
});

it.each([400, 401, 403])('the text of Flask for %s is not quoted, because nobody wrote it', (status) => {
  const body = '{"message":"The browser (or proxy) sent a request that this server could not understand."}';
  const detail = `Your receiver returned ${status}. The response does not say`;
  expect(judgeResponse(status, {}, body).detail).toContain(detail);
});

it.each(['11:50 behind', '12:04 ahead of'])('the clock of a receiver is %s the time of the attempt', (is) => {
  const date = `Fri, 20 Nov 2026 ${is.slice(0, 5)}:00 GMT`;
  expect(judgeResponse(400, { date }, '').detail).toContain(`7m ${is.slice(6)}`);
});

it.each([
  ['x-powered-by', 'Express', / before app\.use\(express\.json\(\)\)/],
  ['server', 'WEBrick/1.8.1 (Ruby/3.1.2)', / request\.body\.rewind before /],
  ['server', 'nginx', /^Use all bytes of the request body as they arrived\. Do not .* first\.$/],
])('the fix of a parsed body names the way of the framework with the header %s: %s', (name, value, fix) => {
  const body = '{"message":"Webhook payload must be provided as a string or a Buffer"}';
  expect(judgeResponse(400, { [name]: value }, body).hints[0]?.text).toMatch(fix);
});

it.each([
  ['', 'Your receiver returned 500.'],
  [
    '<h2>Exception:</h2><pre>KeyError(&#039;x&#039;)</pre><h2>Traceback:</h2><pre>Traceback (most recent call last):</pre>',
    `Your receiver returned 500. It says "KeyError('x')".`,
  ],
])('from the page of Bottle for an error, only the exception is quoted: %s', (debug, detail) => {
  const body = `<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN"><html><head><title>Error: 500 Internal Server Error</title></head>
    <body><h1>Error: 500 Internal Server Error</h1><p>Sorry, the requested URL <tt>&#039;http://127.0.0.1:3000/&#039;</tt>
      caused an error:</p><pre>Internal Server Error</pre>${debug}</body></html>`;
  expect(judgeResponse(500, {}, body).detail).toBe(detail);
});

it.each([
  ['', 'Server got itself in trouble'],
  ['', '<head><title>500 Internal Server Error</title></head><hr><center>nginx/1.22.1</center>'],
  [
    ' It says "Access Denied".',
    '<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>',
  ],
])('what nobody wrote for this response is not quoted (%j): %s', (said, body) => {
  expect(judgeResponse(500, {}, body).detail).toBe(`Your receiver returned 500.${said}`);
});

it('the judgment of a 200 with a fatal error of PHP quotes the error', () => {
  const body =
    '<br />\n<b>Fatal error</b>:  Uncaught Error: no such table in /app/index.php:2\nStack trace:\n#0 {main}\n';
  expect(judgeResponse(200, {}, body)).toMatchObject({
    cause: 'delivered',
    detail:
      'The response is 200, but its body contains a fatal error of PHP: "Fatal error : Uncaught Error: no such table in /app/index.php:2".',
    hints: [{ text: expect.stringMatching(/^Correct the error, and turn off display_errors/) }],
  });
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
  expect(listHints(attempt)).toEqual([expect.stringContaining('svc faults clear flt_1')]);
});

it('the hint after a fault that no longer applies is to replay the delivery', () => {
  const fault = { id: 'flt_1', kind: 'timeout' } as const;
  const attempt = { outcome: 'timeout', response_status: null, fault } as const;
  expect(listHints(attempt, false)).toEqual([
    'The injected fault (timeout) no longer applies. Replay the delivery with: svc deliveries replay del_1 --wait',
  ]);
});

it.each<[FaultKind | undefined, string]>([
  [undefined, 'Your receiver returned 503.'],
  ['slow-body', 'Your receiver returned 503.'],
  [
    'error-response',
    'The injected fault error-response (flt_1) returned 503; nothing was sent to the receiver.',
  ],
  [
    'tamper-body',
    'Your receiver returned 503. The injected fault tamper-body (flt_1) had changed the request.',
  ],
])('the cause of a 503 with the fault %s says who returned it', (kind, cause) => {
  const fault = kind && { id: 'flt_1', kind };
  const error = deliveryFaults['error-response'].end.toError('flt_1', '503');
  expect(judge({ response_status: 503, error, ...(fault && { fault }) }).detail).toBe(cause);
});

it.each<[AttemptOutcome, number | null, string | null, string]>([
  ['http_error', 400, 'returned 400', 'Your receiver returned 400.'],
  ['http_error', 302, 'redirected to https://example.com/', 'Redirected to https://example.com/.'],
  ['timeout', 503, 'started a response but did not finish it', 'Started a response but did not finish it.'],
  ['succeeded', 204, null, 'Your receiver returned 204.'],
])('the cause of %s with the status %s and the error %j is %j', (outcome, response_status, error, cause) => {
  expect(judge({ outcome, response_status, error }).detail).toBe(cause);
});

it.each<[FaultKind, AttemptOutcome, number | null, string]>([
  [
    'bad-signature',
    'succeeded',
    200,
    'The receiver accepted an attempt that the injected fault bad-signature had made invalid.',
  ],
  ['old-secret', 'succeeded', 200, 'Your receiver returned 200.'],
  [
    'reset',
    'connection_error',
    null,
    'The injected fault reset (flt_1) reset the connection; the response was lost.',
  ],
])(
  'the cause of an attempt with the fault %s and the outcome %s says what the fault did',
  (kind, outcome, response_status, cause) => {
    const error = getDeliveryFault(kind).end?.toError('flt_1', '') ?? null;
    const attempt = { outcome, response_status, error, fault: { id: 'flt_1', kind } };
    expect(judge(attempt).detail).toBe(cause);
  },
);

it.each<[FaultKind, AttemptOutcome, number | null, string]>([
  ['duplicate', 'http_error', 400, 'to find out why it rejected the delivery'],
  ['duplicate', 'timeout', null, 'Return a 2xx response'],
  ['old-secret', 'timeout', null, 'Return a 2xx response'],
  ['tamper-body', 'http_error', 404, 'Check the path'],
])('the fault %s did not cause %s with the status %s', (kind, outcome, response_status, step) => {
  const attempt = { outcome, response_status, fault: { id: 'flt_1', kind } };
  expect(listHints(attempt)[0]).toContain(step);
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
  const check = "svc receiver check 'http://127.0.0.1:3000/hooks?a=1&b=2' --secret SECRET";
  expect(listHints(attempt)).toEqual(
    isWrong ? [`The receiver accepted an invalid delivery. Check it with: ${check}`] : [],
  );
});
