import { describe, expect, it } from 'vitest';
import { toForwardUrl } from '../../src/domain/webhook-url.ts';

describe('toForwardUrl', () => {
  it.each([
    ['3000', 'http://localhost:3000/'],
    [':3000', 'http://localhost:3000/'],
    ['3000/hooks', 'http://localhost:3000/hooks'],
    [':3000/hooks?a=1', 'http://localhost:3000/hooks?a=1'],
    ['localhost', 'http://localhost/'],
    ['localhost:3000/hooks', 'http://localhost:3000/hooks'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000/'],
    ['192.168.1.7:8080/in', 'http://192.168.1.7:8080/in'],
    ['[::1]:3000', 'http://[::1]:3000/'],
    ['host.docker.internal:8080', 'http://host.docker.internal:8080/'],
    ['web:8080/hooks', 'http://web:8080/hooks'],
  ])('an address on this machine or network gets http: %s', (written, url) => {
    expect(toForwardUrl(written)).toBe(url);
  });

  it.each([
    ['hooks.example.com', 'https://hooks.example.com/'],
    ['hooks.example.com:8443/in', 'https://hooks.example.com:8443/in'],
    ['203.0.113.7/in', 'https://203.0.113.7/in'],
  ])('an address elsewhere gets https: %s', (written, url) => {
    expect(toForwardUrl(written)).toBe(url);
  });

  it.each(['http://localhost:3000', 'https://localhost:3000/a#b', 'HTTP://hooks.example.com', 'http://3000'])(
    'a URL with a scheme is unchanged: %s',
    (written) => {
      expect(toForwardUrl(written)).toBe(written);
    },
  );

  it.each([
    ...['', ' ', ':', '/hooks', '//localhost:3000', '70000', ':99999/in', 'localhost:port', 'a b:3000'],
    ...['http://', 'ftp://localhost:3000', '::1', ':3000:4000', 'mailto:somebody'],
  ])('toForwardUrl(%j) returns null', (written) => {
    expect(toForwardUrl(written)).toBeNull();
  });
});
