import { expect, it } from 'vitest';
import { shortenUrl } from '../../src/dashboard/address.ts';

it.each([
  ['http://localhost:3000/hooks', 'localhost:3000/hooks'],
  ['https://example.com/', 'example.com'],
])('shortenUrl shortens %s', (url, short) => {
  expect(shortenUrl(url)).toBe(short);
});
