import { H3Event } from 'h3';
import { describe, expect, it } from 'vitest';
import { createApiHostGuard } from '../../src/http/api-host-guard.ts';

/** Checks a request to the API of an emulator on this machine behind `svc.test`. */
function check(host: string): void {
  const assertHost = createApiHostGuard({ host: '127.0.0.1', publicUrl: 'https://svc.test:8443' });
  assertHost(new H3Event(new Request('http://localhost/v1/events', { headers: { host } })));
}

describe('the guard of the API', () => {
  it.each(['svc.test', 'svc.test:1', 'localhost:4777'])(
    'the guard of the API accepts the Host %j',
    (host) => {
      expect(check(host)).toBeUndefined();
    },
  );

  it.each(['x:99999', 'a b', 'www.svc.test'])('the guard of the API rejects the Host %j', (host) => {
    expect(() => check(host)).toThrow(expect.objectContaining({ code: 'forbidden_origin' }));
  });
});
