import { describe, expect, it } from 'vitest';
import { canServeControlPlane, isLoopbackOnly, toEmulatorUrls } from '../../src/http/listen-options.ts';

const url = 'http://127.0.0.1:4777';

describe('the URLs of an emulator', () => {
  it.each([
    [null, null, `${url}/v1`, `${url}/_svc`, `${url}/`],
    [
      'http://svc.test',
      'token',
      'http://svc.test/v1',
      'http://svc.test/_svc',
      'http://svc.test/?token=token',
    ],
    ['https://svc.example.com', 'token', 'https://svc.example.com/v1', `${url}/_svc`, `${url}/?token=token`],
  ])(
    'with the public URL %s and the token %s, they are %s, %s and %s',
    (publicUrl, token, baseUrl, controlUrl, dashboardUrl) => {
      expect(toEmulatorUrls(url, publicUrl, token)).toEqual({ baseUrl, controlUrl, dashboardUrl });
    },
  );

  it.each([
    ['https://svc.example.com', false],
    ['http://svc.test', true],
    ['http://192.168.1.5', true],
    ['http://localhost:1', true],
  ])('the control plane may be served at %s: %s', (publicUrl, isAllowed) => {
    expect(canServeControlPlane(publicUrl)).toBe(isAllowed);
  });
});

it.each([
  [{ host: '127.0.0.1' }, true],
  [{ host: '::1', publicUrl: null, tunnel: false }, true],
  [{ host: 'localhost', publicUrl: 'http://127.0.0.2:1' }, true],
  [{ host: 'localhost', publicUrl: 'http://svc.test' }, false],
  [{ host: '0.0.0.0', publicUrl: 'http://localhost' }, false],
  [{ host: '127.0.0.2' }, true],
  [{ host: '::' }, false],
  [{ host: '127.0.0.1', publicUrl: 'https://svc.example.com' }, false],
  [{ host: '127.0.0.1', tunnel: true }, false],
])('an emulator with the options %j can be reached only from this machine: %s', (options, isLocal) => {
  expect(isLoopbackOnly({ port: 0, ...options })).toBe(isLocal);
});
