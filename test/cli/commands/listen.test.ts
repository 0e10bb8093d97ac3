import { describe, expect, it } from 'vitest';
import { parseForwardTargets } from '../../../src/cli/commands/listen.ts';

describe('parseForwardTargets', () => {
  it.each([
    ['3000', 'http://localhost:3000/', null],
    [':3000/hooks', 'http://localhost:3000/hooks', null],
    ['http://localhost:3000', 'http://localhost:3000/', null],
    ['https://EXAMPLE.com/a=b', 'https://example.com/a=b', null],
    ['localhost:3000/a?b.c=d', 'http://localhost:3000/a?b.c=d', null],
    ['order.shipped=3000', 'http://localhost:3000/', ['order.shipped']],
    ['a.b, c.d=localhost:3000/x?y=z', 'http://localhost:3000/x?y=z', ['a.b', 'c.d']],
    ['*=http://localhost:3000/', 'http://localhost:3000/', ['*']],
  ])('the forward target %s is accepted', (text, url, types) => {
    expect(parseForwardTargets(text)).toEqual([{ url, types }]);
  });

  it('a forward target can be given more than once', () => {
    expect(parseForwardTargets('a.b=1', parseForwardTargets('2')).map(({ url }) => url)).toEqual([
      'http://localhost:2/',
      'http://localhost:1/',
    ]);
  });

  it.each([
    ['ftp://localhost', 'Pass a port or a URL'],
    ['', 'Pass a port or a URL'],
    ['a.b=', 'Pass a port or a URL'],
    ['Order.Shipped=3000', 'not "Order.Shipped"'],
    ['a.b,,c.d=3000', 'not ""'],
  ])('the forward target %j is rejected', (text, problem) => {
    expect(() => parseForwardTargets(text)).toThrow(problem);
  });
});
