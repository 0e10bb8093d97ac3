import { describe, expect, it } from 'vitest';
import { suggestMatch } from '../../src/domain/message-parts.ts';

const commands = ['deliveries', 'events', 'webhooks', 'verify', 'env'];

describe('suggestMatch', () => {
  it.each([
    ['a missing letter', 'deliveres', 'deliveries'],
    ['an extra letter', 'evvents', 'events'],
    ['a wrong letter', 'wabhooks', 'webhooks'],
    ['two swapped letters', 'veirfy', 'verify'],
    ['a mistake in a word of three letters', 'enf', 'env'],
    ['a word in upper case', 'EVENTS', 'events'],
  ])('suggestMatch corrects %s', (_, word, meant) => {
    expect(suggestMatch(word, commands)).toBe(`Did you mean ${meant}?`);
  });

  it('suggestMatch returns null when no word is close', () => {
    expect(suggestMatch('snapshot', commands)).toBeNull();
    expect(suggestMatch('x', commands)).toBeNull();
    expect(suggestMatch('events', [])).toBeNull();
  });

  it('suggestMatch accepts at most the given number of mistakes', () => {
    expect(suggestMatch('dilivaries', commands, undefined, 2)).toBe('Did you mean deliveries?');
    expect(suggestMatch('dilivaryes', commands, undefined, 2)).toBeNull();
  });

  it('suggestMatch prefers the closer word, and the first of two equally close words', () => {
    expect(suggestMatch('list.limits', ['list.limbo', 'list.limit'])).toBe('Did you mean list.limit?');
    expect(suggestMatch('cat', ['bat', 'hat'])).toBe('Did you mean bat?');
  });
});
