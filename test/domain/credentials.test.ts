import { expect, it } from 'vitest';
import { maskSecret } from '../../src/domain/credentials.ts';

it.each([
  ['whsec_0123456789abcdef', 'whsec_…cdef'],
  ['svc_test_0123456789abcdef', 'svc_test_…cdef'],
  ['0123456789abcdef', '…cdef'],
])('maskSecret(%j) returns the prefix and the last four characters: %j', (secret, masked) => {
  expect(maskSecret(secret)).toBe(masked);
});

it.each([
  ['whsec_abc', 'whsec_…'],
  ['svc_live_short', 'svc_live_…'],
  ['hunter2', '…'],
])('maskSecret(%j) returns only the prefix of a short secret: %j', (secret, masked) => {
  expect(maskSecret(secret)).toBe(masked);
});
