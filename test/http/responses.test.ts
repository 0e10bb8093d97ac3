import { describe, expect, it } from 'vitest';
import { toSvcError } from '../../src/http/responses.ts';

describe('toSvcError', () => {
  it.each([
    ['SQLITE_FULL', 'storage_unavailable', 'The database cannot be used: it failed.'],
    ['SQLITE_ERROR', 'internal_error', 'Internal error in the emulator. Its log has the details.'],
  ])('toSvcError converts an error with the code %s to %s', (code, expected, message) => {
    const cause = Object.assign(new Error('it failed'), { code });
    expect(toSvcError(cause)).toMatchObject({ code: expected, message, cause });
  });
});
