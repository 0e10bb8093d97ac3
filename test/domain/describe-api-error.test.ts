import { describe, expect, it } from 'vitest';
import { describeApiError } from '../../src/domain/describe-api-error.ts';
import { defaultErrorCode } from '../../src/domain/fault.ts';

describe('the errors of the API in words', () => {
  it.each([400, 401, 403, 404, 405, 413, 415, 422, 429, 500])('there are some for %i', (status) => {
    expect(describeApiError(defaultErrorCode(status))).toMatch(/^[A-Z].*\.$/);
  });

  it('there are none for a code of somebody else', () => {
    expect(describeApiError('out_of_coffee')).toBeNull();
  });
});
