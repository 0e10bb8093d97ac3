import { describe, expect, it } from 'vitest';
import {
  addHeaderLine,
  findCustomHeaderProblem,
  isSchemeHeaderName,
} from '../../src/domain/delivery-headers.ts';

describe('findCustomHeaderProblem', () => {
  it.each([
    ['Authorization', 'Bearer a'],
    ['Host', 'tenant.test'],
    ['X-Empty', ''],
    ['x_y.z', 'a\tb'],
    ['Servicename', 'a'],
    ['X-Long', 'a'.repeat(4096)],
  ])('the header "%s: %s" is valid', (name, value) => {
    expect(findCustomHeaderProblem(name, value)).toBeNull();
  });

  it.each([
    ['Service-Signature', 'is set by the emulator'],
    ['service-anything', 'is set by the emulator'],
    ['Content-Length', 'is set by the emulator'],
    ['Content-Type', 'is set by the emulator'],
    ['Transfer-Encoding', 'is set by the emulator'],
    ['', 'is not a valid header name'],
    ['a b', 'is not a valid header name'],
    ['a:', 'is not a valid header name'],
  ])('the header name "%s" is refused [§6.headers.signature]', (name, problem) => {
    expect(findCustomHeaderProblem(name, 'a')).toContain(problem);
  });

  it.each([
    ['a\r\nB: c', 'printable ASCII on one line'],
    ['naïve', 'printable ASCII on one line'],
    ['a'.repeat(4097), 'longer than 4096 characters'],
  ])('the header value %j is refused', (value, problem) => {
    expect(findCustomHeaderProblem('A', value)).toContain(problem);
  });
});

describe('addHeaderLine', () => {
  it('a header is added with its value up to the end of the line', () => {
    const headers = { 'X-Other': 'b' };
    expect(addHeaderLine(' X-Url :  http://a:1 ', headers)).toEqual({ ...headers, 'X-Url': 'http://a:1' });
    expect(headers).toEqual({ 'X-Other': 'b' });
  });

  it.each([
    [
      ' Authorization ',
      "'Authorization' must have the form Name: value, such as 'Authorization: Bearer abc'",
    ],
    ['x-OTHER: c', 'x-OTHER appears twice'],
    ['Connection: a', 'Connection is set by the emulator and cannot be changed'],
    [': a', '"" is not a valid header name'],
  ])('the line %j is not added', (line, problem) => {
    expect(addHeaderLine(line, { 'X-Other': 'b' })).toBe(problem);
  });
});

it.each([
  ['X-Signature', true],
  ['Service-Signature', true],
  ['Content-Type', false],
  ['Proxy-Authorization', false],
  ['a b', false],
  ['', false],
  [undefined, false],
])('a signature scheme can use the header name %j: %s', (name, isValid) => {
  expect(isSchemeHeaderName(name)).toBe(isValid);
});
