import { describe, expect, it } from 'vitest';
import { closestMatch } from '../../src/domain/closest-match.ts';

const commands = ['deliveries', 'events', 'webhooks', 'verify', 'env'];

describe('findNearest', () => {
  it.each([
    ['a letter missing', 'deliveres', 'deliveries'],
    ['a letter too many', 'evvents', 'events'],
    ['a wrong letter', 'wabhooks', 'webhooks'],
    ['two letters swapped', 'veirfy', 'verify'],
    ['one slip in three letters', 'enf', 'env'],
    ['another case', 'EVENTS', 'events'],
  ])('finds the word behind %s', (_, word, meant) => {
    expect(closestMatch(word, commands)).toBe(meant);
  });

  it('suggests nothing when no word is near', () => {
    expect(closestMatch('snapshot', commands)).toBeNull();
    expect(closestMatch('x', commands)).toBeNull();
    expect(closestMatch('events', [])).toBeNull();
  });

  it('prefers the nearer of two, and the first of two as near', () => {
    expect(closestMatch('list.limits', ['list.limbo', 'list.limit'])).toBe('list.limit');
    expect(closestMatch('cat', ['bat', 'hat'])).toBe('bat');
  });
});
