import { describe, expect, it } from 'vitest';
import { closestMatch } from '../../src/domain/closest-match.ts';

const commands = ['deliveries', 'events', 'webhooks', 'verify', 'env'];

describe('closestMatch', () => {
  it.each([
    ['a missing letter', 'deliveres', 'deliveries'],
    ['an extra letter', 'evvents', 'events'],
    ['a wrong letter', 'wabhooks', 'webhooks'],
    ['two swapped letters', 'veirfy', 'verify'],
    ['a mistake in a word of three letters', 'enf', 'env'],
    ['a word in upper case', 'EVENTS', 'events'],
  ])('closestMatch corrects %s', (_, word, meant) => {
    expect(closestMatch(word, commands)).toBe(meant);
  });

  it('closestMatch returns null when no word is close', () => {
    expect(closestMatch('snapshot', commands)).toBeNull();
    expect(closestMatch('x', commands)).toBeNull();
    expect(closestMatch('events', [])).toBeNull();
  });

  it('closestMatch prefers the closer word, and the first of two equally close words', () => {
    expect(closestMatch('list.limits', ['list.limbo', 'list.limit'])).toBe('list.limit');
    expect(closestMatch('cat', ['bat', 'hat'])).toBe('bat');
  });
});
