import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesRequest, tamperBody } from '../../src/domain/fault.ts';

describe('the path of a fault', () => {
  const meets = (pattern: string, path: string) =>
    matchesRequest(
      { on: 'request', probability: 1, path: pattern },
      { method: 'GET', path, apiKeyId: 'key_1', workspaceId: null },
    );

  it.each(['/events', '/v1/events'])('the pattern %s matches /v1/events and no other path', (pattern) => {
    expect(['/v1/events', '/v1/events/evt_1', '/v1/webhooks'].map((path) => meets(pattern, path))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each(['/events/{id}', '/events/*'])('the pattern %s matches any single segment', (pattern) => {
    expect(['/v1/events/evt_1', '/v1/events', '/v1/events/a/b'].map((path) => meets(pattern, path))).toEqual([
      true,
      false,
      false,
    ]);
  });
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
});
