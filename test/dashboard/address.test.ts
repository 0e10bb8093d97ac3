import { describe, expect, it } from 'vitest';
import { parseHash, shortenUrl, toHash } from '../../src/dashboard/address.ts';

describe('toHash and parseHash', () => {
  it('toHash and parseHash round-trip a section, an ID and filters', () => {
    const route = { section: 'deliveries', id: 'del_1', query: { status: 'failed', text: 'a b&c' } } as const;
    expect(parseHash(toHash(route))).toEqual(route);
  });

  it('toHash omits empty query values', () => {
    expect(toHash({ section: 'events', query: { text: '', type: 'order.shipped' } })).toBe(
      '#/events?type=order.shipped',
    );
  });

  it.each(['', '#', '#/', '#/?period=day', '#/webhooks'])('parseHash(%j) returns the first page', (hash) => {
    expect(parseHash(hash)).toMatchObject({ section: 'home', id: null });
  });

  it.each(['#/nowhere/x', '#/%E0%A4%A'])(
    'parseHash(%j) returns the page for addresses that do not exist',
    (hash) => {
      expect(parseHash(hash)).toMatchObject({ section: 'missing', id: null });
    },
  );

  it('parseHash keeps an ID that cannot be decoded', () => {
    expect(parseHash('#/events/%E0%A4%A').id).toBe('%E0%A4%A');
  });
});

it.each([
  ['http://localhost:3000/hooks', 'localhost:3000/hooks'],
  ['https://example.com/', 'example.com'],
])('shortenUrl shortens %s', (url, short) => {
  expect(shortenUrl(url)).toBe(short);
});
