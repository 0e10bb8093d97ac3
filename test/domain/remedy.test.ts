import { expect, it } from 'vitest';
import type { AttemptOutcome } from '../../src/domain/delivery.ts';
import type { DeliveryFaultKind } from '../../src/domain/fault.ts';
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

it('names the fault that spoils an attempt, and not one that only delays it', () => {
  const failed = { outcome: 'http_error', response_status: 400 } as const;
  const of = (kind: DeliveryFaultKind) => findRemedy({ ...failed, fault: { id: 'flt_1', kind } }, delivery);
  expect(of('bad-signature')).toContain('svc faults clear flt_1');
  expect(of('delay')).toBe(findRemedy(failed, delivery));
});
