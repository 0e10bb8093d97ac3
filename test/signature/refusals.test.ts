import { describe, expect, it } from 'vitest';
import { inputUnreadable, payloadUnreadable, quote, versionUnknown } from '../../src/signature/refusals.ts';
import { schemes } from '../../src/signature/schemes.ts';

describe('refusals', () => {
  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [[1], 'an array'],
    [{ a: 1 }, 'an object'],
    [7, 'a number'],
  ])('a refusal says that the payload %j is %s', (payload, description) => {
    expect(payloadUnreadable(payload).detail).toBe(
      `The payload must be a string or the bytes of the request body, but it is ${description}.`,
    );
  });

  it.each([
    [new TypeError('a "getter" threw'), 'Cannot read the input: "a \\"getter\\" threw".'],
    ['text', 'Cannot read the input: "a string".'],
    [null, 'Cannot read the input: "null".'],
  ])('a refusal quotes the message of a thrown error (%s)', (error, detail) => {
    expect(inputUnreadable(error).detail).toBe(detail);
  });

  it('a refusal quotes at most 80 characters of text from outside', () => {
    expect(quote('x'.repeat(80))).toBe(`"${'x'.repeat(80)}"`);
    expect(quote(`${'x'.repeat(80)}y`)).toBe(`"${'x'.repeat(80)}…"`);
  });

  it('a refusal names at most five unknown versions', () => {
    expect(versionUnknown(schemes.svc, ['v2', 'v3', 'v4', 'v5', 'v6', 'v7']).detail).toBe(
      'Service-Signature contains v2, v3, v4, v5, v6, but the scheme svc uses v1.',
    );
  });
});
