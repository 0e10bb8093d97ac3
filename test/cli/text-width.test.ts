import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { styleFor } from '../../src/cli/render/style.ts';
import { truncateLine, widthOf, wrapWords } from '../../src/cli/render/text-width.ts';

const { green } = styleFor({ color: true });
const [GREEN = '', PLAIN = ''] = green('|').split('|');

describe('truncateLine', () => {
  it.each([
    ['short', 5, 'short'],
    ['longer', 5, 'long…'],
    ['longer', 2, 'l…'],
    [`${GREEN}green${PLAIN} and not`, 7, `${GREEN}green${PLAIN} …`],
    [`${GREEN}green${PLAIN}`, 3, `${GREEN}gr…${PLAIN}`],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['👩‍👩‍👧 family', 4, '👩‍👩‍👧 …'],
  ])('truncateLine cuts %j to %i columns', (line, width, cut) => {
    expect(truncateLine({ width, unicode: true }, line)).toBe(cut);
  });

  it('truncateLine ends a cut line with three dots without Unicode', () => {
    expect(truncateLine({ width: 6, unicode: false }, 'much longer')).toBe('muc...');
  });

  it('truncateLine keeps a line unchanged without a terminal width', () => {
    expect(truncateLine({ width: Number.POSITIVE_INFINITY, unicode: true }, 'any length')).toBe('any length');
  });
});

describe('wrapWords', () => {
  it.each([
    ['onetwo', 3, ['one', 'two']],
    ['日本語', 4, ['日本', '語']],
    [`${GREEN}onetwo${PLAIN}`, 3, [`${GREEN}one`, `two${PLAIN}`]],
    ['one two three', 8, ['one two', 'three']],
    ['one two', Number.POSITIVE_INFINITY, ['one two']],
    ['a\n\nb', 3, ['a', '', 'b']],
    ['to del_0123456789 now', 10, ['to', 'del_012345', '6789 now']],
  ])('wrapWords wraps %j to %d columns', (text, width, lines) => {
    expect(wrapWords(width, text)).toEqual(lines);
  });

  it('wrapWords keeps the whole word, and no line is wider than the limit', () => {
    const character = fc.constantFrom('a', '日', '👩‍👩‍👧', 'é', GREEN, PLAIN);
    const text = fc.string({ unit: character, maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 20 }), (line, width) => {
        const lines = wrapWords(width, line);
        expect(lines.join('')).toBe(line);
        expect(lines.filter((each) => widthOf(each) > width)).toEqual([]);
      }),
    );
  });

  it('wrapWords wraps a line of 128 KiB in less than the test timeout', () => {
    expect(wrapWords(100, 'x日'.repeat(64 * 1024))).toHaveLength(1986);
  });
});

it('wrapWords keeps a character of several code points in one piece, wherever it is in a long text', () => {
  const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';
  for (let before = 245; before <= 260; before++) {
    const text = 'é'.repeat(before) + family;
    expect(wrapWords(before + 2, text)).toEqual([text]);
  }
});
