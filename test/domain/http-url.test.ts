import { expect, it } from 'vitest';
import {
  addBrackets,
  getPort,
  isHttpUrl,
  parseAuthority,
  parseHostName,
  stripBrackets,
} from '../../src/domain/http-url.ts';

it.each([
  ['::1', '[::1]'],
  ['127.0.0.1', '127.0.0.1'],
  ['localhost', 'localhost'],
])('addBrackets and stripBrackets convert between the address %s and the host %s', (address, host) => {
  expect(addBrackets(address)).toBe(host);
  expect(stripBrackets(host)).toBe(address);
});

it.each([
  ['http://localhost:3000/a?b#c', true],
  ['HTTPS://example.com', true],
  ['ftp://example.com', false],
  ['http://', false],
  ['http://a:99999', false],
  ['http:localhost', false],
  ['http://example.com/a b', false],
  ['http://example.com/ä', false],
  [' http://example.com', false],
])('isHttpUrl(%j) returns %s', (text, isUrl) => {
  expect(isHttpUrl(text)).toBe(isUrl);
});

it.each([
  ['API.Example.com', 'api.example.com'],
  ['my_host', 'my_host'],
  ['127.1', '127.0.0.1'],
  ['[0::1]', '[::1]'],
  ['::1', null],
  ['[::1', null],
  ['[:::]', null],
  ['a/b', null],
  ['a@b', null],
  ['a:80', null],
  ['', null],
])('parseHostName(%j) returns %j', (text, host) => {
  expect(parseHostName(text)).toBe(host);
});

it.each([
  ['example.com', 'example.com'],
  ['Example.com:65535', 'example.com'],
  ['[::1]:3000', '[::1]'],
  ['example.com:65536', null],
  ['example.com:', null],
  ['example.com:port', null],
  ['', null],
  [':80', null],
  ['a:80:80', null],
  ['999.1.1.1', null],
  ['[::::]', null],
  ['[::1', null],
  ['user@a', null],
  ['a#b', null],
  ['a/b', null],
  ['a\\b', null],
  ['a b', null],
  ['a\tb', null],
  ['a\nb', null],
  ['a, b', null],
])('parseAuthority(%j) returns the host %j', (text, host) => {
  expect(parseAuthority(text)).toBe(host);
});

it.each([
  ['http://localhost', 80],
  ['https://localhost', 443],
  ['https://localhost:80', 80],
  ['http://localhost:443', 443],
])('getPort returns the port of %s: %d', (url, port) => {
  expect(getPort(new URL(url))).toBe(port);
});
