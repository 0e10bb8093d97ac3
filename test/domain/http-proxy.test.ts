import { describe, expect, it } from 'vitest';
import { parseProxy, usesProxy } from '../../src/domain/http-proxy.ts';

const url = 'http://proxy.example:3128';

describe('parseProxy', () => {
  it('parseProxy returns the host, the port and the credentials', () => {
    expect(parseProxy(url)).toEqual({
      ...{ hostname: 'proxy.example', port: 3128, authority: 'proxy.example:3128' },
      authorization: null,
    });
    expect(parseProxy('http://[::1]')).toMatchObject({
      ...{ hostname: '::1', port: 80, authority: '[::1]:80' },
    });
    const { authorization, authority } = parseProxy('http://me:p%40ss%@proxy.example:3128');
    expect(authorization).toBe(`Basic ${Buffer.from('me:p@ss%').toString('base64')}`);
    expect(authority).not.toContain('ss');
  });

  it.each(['proxy.example:3128', 'socks5://proxy.example', 'https://proxy.example', 'http://', ''])(
    'parseProxy refuses %j',
    (text) => {
      expect(() => parseProxy(text)).toThrow(expect.objectContaining({ code: 'usage' }));
    },
  );

  it('the error for a different scheme names the scheme but not the password', () => {
    expect(() => parseProxy('https://me:secret@proxy.example')).toThrow(
      'The proxy URL starts with https: instead of http://.',
    );
  });
});

describe('usesProxy', () => {
  it.each(['https://api.example', 'https://93.184.216.34', 'https://[2606:4700::1111]'])(
    'a request to %s uses the proxy',
    (target) => expect(usesProxy(new URL(target))).toBe(true),
  );

  it.each([
    ...['https://localhost', 'https://127.0.0.1:8443', 'https://[::1]', 'https://app.localhost'],
    ...['https://10.0.0.1', 'https://receiver', 'https://receiver.internal', 'https://169.254.169.254'],
  ])('a request to %s, a local or blocked address, does not use the proxy', (target) =>
    expect(usesProxy(new URL(target))).toBe(false),
  );
});
