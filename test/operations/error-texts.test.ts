import { describe, expect, it } from 'vitest';
import { getDefaultErrorCode } from '../../src/domain/fault.ts';
import { describeApiError } from '../../src/operations/error-texts.ts';

describe('describeApiError', () => {
  it.each([400, 401, 403, 404, 405, 413, 415, 422, 429, 500])(
    'the default error code of status %i has a description',
    (status) => {
      expect(describeApiError(getDefaultErrorCode(status))).toMatch(/^[A-Z].*\.$/);
    },
  );

  it('an unknown error code has no description', () => {
    expect(describeApiError('out_of_coffee')).toBeNull();
  });
});
