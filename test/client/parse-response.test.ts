import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { parseResponse, toServerError } from '../../src/client/parse-response.ts';

const address = 'http://127.0.0.1:4777/_svc/status';

describe('parseResponse', () => {
  const schema = v.object({ a: v.number() });

  it('parseResponse returns a value that matches the schema', () => {
    expect(parseResponse(schema, '{"a":1}', address)).toEqual({ a: 1 });
  });

  it.each([
    ['<html>', /: the response is not JSON\.$/],
    ['{"a":"1"}', /: a must be a number, not "1"\.$/],
    ['1', /: the response must be an object/],
    ['[]', /: a is required\.$/],
  ])('parseResponse rejects %s as the response of another server', (text, message) => {
    expect(() => parseResponse(schema, text, address)).toThrow(
      expect.objectContaining({ code: 'no_emulator', message: expect.stringMatching(message) }),
    );
  });
});

describe('toServerError', () => {
  const toError = (status: number, error: unknown) =>
    toServerError({ status, text: JSON.stringify({ error }) }, address);

  it('toServerError returns the error of the server with its hint', () => {
    const error = { code: 'conflict', message: 'It exists.', hint: { text: 'Delete it.' } };
    for (const status of [404, 409]) expect(toError(status, error)).toMatchObject(error);
    expect(toError(404, { code: 'not_found', message: 'No.' })).toMatchObject({
      code: 'not_found',
      hint: undefined,
    });
  });

  it.each([
    [401, 'unauthenticated'],
    [403, 'permission_denied'],
    [404, 'not_found'],
    [409, 'conflict'],
    [429, 'rate_limited'],
    [418, 'invalid_request'],
    [499, 'invalid_request'],
    [500, 'internal_error'],
    [503, 'internal_error'],
  ])('an unknown code with the status %i becomes %s', (status, code) => {
    expect(toError(status, { code: 'of_tomorrow', message: 'No.' })).toMatchObject({ code, message: 'No.' });
  });

  it.each([['<html>'], ['{}'], ['{"error":{"code":1,"message":"No."}}'], ['{"error":{"code":"conflict"}}']])(
    'toServerError says that %s is not the response of an emulator',
    (text) => {
      expect(toServerError({ status: 502, text }, address)).toMatchObject({
        code: 'no_emulator',
        message: `${address} responded with 502, but it is not an svc emulator.`,
      });
    },
  );
});
