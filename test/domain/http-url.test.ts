import { expect, it } from 'vitest';
import { addBrackets, stripBrackets } from '../../src/domain/http-url.ts';

it.each([
  ['::1', '[::1]'],
  ['127.0.0.1', '127.0.0.1'],
  ['localhost', 'localhost'],
])('addBrackets and stripBrackets convert between the address %s and the host %s', (address, host) => {
  expect(addBrackets(address)).toBe(host);
  expect(stripBrackets(host)).toBe(address);
});
