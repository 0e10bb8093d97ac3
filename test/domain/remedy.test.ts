import { expect, it } from 'vitest';
import type { AttemptOutcome } from '../../src/domain/delivery.ts';
import type { FaultKind } from '../../src/domain/fault.ts';
import { findRemedy } from '../../src/domain/remedy.ts';

const delivery = { id: 'del_1', webhook_id: 'wh_1' };

it.each<[AttemptOutcome, number | null, string]>([
  ['http_error', 302, 'svc webhooks update wh_1 --url URL'],
  ['http_error', 400, 'svc verify --delivery del_1'],
  ['http_error', 404, 'Is the path right?'],
  ['http_error', 418, 'its answer and its log'],
  ['http_error', 429, '--rate'],
  ['http_error', 503, 'its answer and its log'],
  ['timeout', null, 'as soon as the delivery is accepted'],
  ['connection_error', null, 'Start the receiver'],
  ['dns_error', null, 'Correct the name'],
  ['tls_error', null, '--ca FILE'],
  ['blocked', null, 'svc webhooks update wh_1 --url URL'],
])('after %s %s says what to do', (outcome, response_status, step) => {
  expect(findRemedy({ outcome, response_status }, delivery)).toContain(step);
});

it('has nothing to say of success', () => {
  expect(findRemedy({ outcome: 'succeeded', response_status: 200 }, delivery)).toBeNull();
});

it.each<FaultKind>(['tamper-body', 'bad-signature', 'stale-timestamp', 'old-secret', 'drop'])(
  'puts down to the fault what %s made of an attempt',
  (kind) => {
    const attempt = { outcome: 'http_error', response_status: 400, fault: { id: 'flt_1', kind } } as const;
    expect(findRemedy(attempt, delivery)).toContain('svc faults clear flt_1');
  },
);

it('puts down to the receiver what fails beside a fault that no receiver notices', () => {
  const fault = { id: 'flt_1', kind: 'duplicate' } as const;
  expect(findRemedy({ outcome: 'timeout', response_status: null, fault }, delivery)).toContain(
    'Answer with a 2xx',
  );
});

it.each<[FaultKind, boolean]>([
  ['tamper-body', true],
  ['bad-signature', true],
  ['stale-timestamp', true],
  // Right while the secret is being rotated.
  ['old-secret', false],
  ['slow-body', false],
])('tells of a receiver that accepts %s: %s', (kind, isWrong) => {
  const attempt = { outcome: 'succeeded', response_status: 204, fault: { id: 'flt_1', kind } } as const;
  expect(findRemedy(attempt, delivery)?.includes('svc receiver check') ?? false).toBe(isWrong);
});
