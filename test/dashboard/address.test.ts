import { describe, expect, it } from 'vitest';
import { parseHash, toHash } from '../../src/dashboard/address.ts';

describe('the address of a view', () => {
  it('names the section, the one thing and what narrows it', () => {
    const route = { section: 'deliveries', id: 'del_1', query: { status: 'failed', text: 'a b&c' } } as const;
    expect(parseHash(toHash(route))).toEqual(route);
  });

  it('leaves out what is empty', () => {
    expect(toHash({ section: 'events', query: { text: '', type: 'order.shipped' } })).toBe(
      '#/events?type=order.shipped',
    );
  });

  it.each(['', '#', '#/', '#/nowhere/x', '#/%E0%A4%A'])('leads from %j to the deliveries', (hash) => {
    expect(parseHash(hash)).toMatchObject({ section: 'deliveries', id: null });
  });

  it('takes an id that cannot be decoded as it is', () => {
    expect(parseHash('#/events/%E0%A4%A').id).toBe('%E0%A4%A');
  });
});
