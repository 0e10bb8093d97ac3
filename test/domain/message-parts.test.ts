import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  describeFileError,
  formatCount,
  formatDeliveryCount,
  suggestMatch,
  toSentence,
} from '../../src/domain/message-parts.ts';

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

  it('suggestMatch ignores the case of the candidates too', () => {
    expect(suggestMatch('put', ['GET', 'PUT'])).toBe('Did you mean PUT?');
  });
});

describe('the distance of two words', () => {
  /** The definition, without the table: the last step removes, adds or replaces a character, or swaps two neighbors. */
  function countMistakes(from: string, to: string): number {
    if (from === '' || to === '') return from.length + to.length;
    const isSame = from.at(-1) === to.at(-1);
    const isSwapped =
      from.length > 1 && to.length > 1 && from.at(-1) === to.at(-2) && from.at(-2) === to.at(-1);
    return Math.min(
      countMistakes(from.slice(0, -1), to) + 1,
      countMistakes(from, to.slice(0, -1)) + 1,
      countMistakes(from.slice(0, -1), to.slice(0, -1)) + (isSame ? 0 : 1),
      isSwapped ? countMistakes(from.slice(0, -2), to.slice(0, -2)) + 1 : Number.POSITIVE_INFINITY,
    );
  }

  it('suggestMatch allows one mistake per three characters, and at least one', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
    fc.assert(
      fc.property(word, word, (typed, meant) => {
        const limit = Math.max(1, Math.floor(typed.length / 3));
        expect(suggestMatch(typed, [meant]) !== null).toBe(countMistakes(typed, meant) <= limit);
      }),
    );
  });

  it.each([
    ['abcdef', 'badcef', true],
    ['abcdef', 'abc', false],
    ['abcdefg', 'abcd', false],
    ['abcdefghi', 'abcdef', true],
    ['abcdefghi', 'abcde', false],
    ['ab', 'ba', true],
    ['ab', 'ca', false],
    ['ab', 'bc', false],
    // Three mistakes: swapped characters are not changed again.
    ['ca', 'abc', false],
    ['', 'a', true],
  ])('suggestMatch(%j) suggests %j: %s', (typed, meant, isClose) => {
    expect(suggestMatch(typed, [meant]) !== null).toBe(isClose);
  });
});

it.each([
  ['connection refused', 'Connection refused.'],
  ['why?', 'Why?'],
  ['Stop!', 'Stop!'],
  ['It ended.', 'It ended.'],
  ['𐐨bc', '𐐀bc.'],
  ['foobar.test does not resolve', 'foobar.test does not resolve.'],
  ['localhost did not respond', 'localhost did not respond.'],
  ['api:3000 closed the connection', 'api:3000 closed the connection.'],
])('toSentence(%j) returns %j', (text, sentence) => {
  expect(toSentence(text)).toBe(sentence);
});

it('formatCount uses the singular only for one', () => {
  expect([0, 1, 2].map((count) => formatCount(count, 'item'))).toEqual(['0 items', '1 item', '2 items']);
  expect([1, 2].map(formatDeliveryCount)).toEqual(['1 delivery', '2 deliveries']);
});

it('describeFileError explains a known error code, and keeps the message of any other error', () => {
  const error = (code: string) => Object.assign(new Error('open a: failed'), { code });
  expect(describeFileError(error('ENOSPC'))).toBe('the disk is full');
  expect(describeFileError(error('EOTHER'))).toBe('open a: failed');
  expect(describeFileError(new Error('failed'))).toBe('failed');
});
