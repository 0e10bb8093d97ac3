import { describe, expect, it } from 'vitest';
import { findNearest } from '../../src/domain/nearest.ts';

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
    expect(findNearest(word, commands)).toBe(meant);
  });

  it('suggests nothing when no word is near', () => {
    expect(findNearest('snapshot', commands)).toBeNull();
    expect(findNearest('x', commands)).toBeNull();
    expect(findNearest('events', [])).toBeNull();
  });

  it('prefers the nearer of two, and the first of two as near', () => {
    expect(findNearest('list.limits', ['list.limbo', 'list.limit'])).toBe('list.limit');
    expect(findNearest('cat', ['bat', 'hat'])).toBe('bat');
  });
});
