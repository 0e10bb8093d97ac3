import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  deliveryFaultKinds,
  getDefaultErrorCode,
  isAttemptSent,
  isFaultActive,
  tamperBody,
} from '../../src/domain/fault.ts';

it.each([
  [0, undefined, true],
  [1_000, undefined, true],
  [1, 2, true],
  [2, 2, false],
])(
  'a fault that was applied %d times and has the count %s can still be applied: %s',
  (applied_count, count, isActive) => {
    expect(isFaultActive({ applied_count, count })).toBe(isActive);
  },
);

it('an attempt is not sent only with the faults drop and error-response', () => {
  const sent = deliveryFaultKinds.filter((kind) => !isAttemptSent({ id: 'flt_1', kind }));
  expect(sent).toEqual(['drop', 'error-response']);
  expect(isAttemptSent(undefined)).toBe(true);
});

it.each([
  [401, 'unauthenticated'],
  [404, 'not_found'],
  [422, 'validation_failed'],
  [429, 'rate_limited'],
  [400, 'invalid_request'],
  [499, 'invalid_request'],
  [500, 'internal_error'],
  [503, 'internal_error'],
])('a fault with the status %d has the error code %s by default [error.codes]', (status, code) => {
  expect(getDefaultErrorCode(status)).toBe(code);
});

describe('tamperBody', () => {
  it('a tampered body differs, has the same number of bytes and is still JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const body = JSON.stringify({ id: 'evt_1', value });
        const tampered = tamperBody(body);
        expect(tampered).not.toBe(body);
        expect(Buffer.byteLength(tampered)).toBe(Buffer.byteLength(body));
        expect(() => JSON.parse(tampered)).not.toThrow();
      }),
    );
  });

  it.each([
    ['{"n":19,"a":"x"}', '{"n":10,"a":"x"}'],
    ['{"a":"x"}', '{"a":"x" '],
    ['a\n', 'a '],
  ])('the tampered body of %j is %j', (body, tampered) => {
    expect(tamperBody(body)).toBe(tampered);
  });
});
