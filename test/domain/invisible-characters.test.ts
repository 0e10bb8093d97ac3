import { describe, expect, it } from 'vitest';
import { escapeInvisible, escapeToOneLine } from '../../src/domain/invisible-characters.ts';

describe('escapeInvisible', () => {
  it.each([
    ['an escape sequence', 'a\x1b[2Jb', 'a\\x1b[2Jb'],
    ['an 8-bit control character', 'a\u009b2Jb', 'a\\u009b2Jb'],
    ['a carriage return', 'good\rbad', 'good\\rbad'],
    ['a backspace and a delete character', 'a\x08\x7f', 'a\\x08\\u007f'],
    ['a bidirectional override', 'a\u202eb', 'a\\u202eb'],
    ['a bidirectional isolate', '\u2066a\u2069', '\\u2066a\\u2069'],
    ['a zero-width space', 'a\u200bb', 'a\\u200bb'],
    ['a byte order mark', '\ufeffa', '\\ufeffa'],
    ['a soft hyphen', 'a\u00adb', 'a\\u00adb'],
    ['a Hangul filler', 'a\u3164b', 'a\\u3164b'],
    ['a tag character', 'a\u{e0041}b', 'a\\udb40\\udc41b'],
    ['a variation selector that is part of no emoji', 'a\ufe0f\u{e0100}', 'a\\ufe0f\\udb40\\udd00'],
    ['a line separator', 'a\u2028b', 'a\\u2028b'],
    ['half of a surrogate pair', 'a\ud800b', 'a\\ud800b'],
    ['invisible characters around emoji', '\u200ba ❤️\u200bb 👩‍👧\u200dc', '\\u200ba ❤️\\u200bb 👩‍👧\\u200dc'],
  ])('escapeInvisible writes an escape for %s [output.escapes]', (_, text, escaped) => {
    expect(escapeInvisible(text)).toBe(escaped);
  });

  it('escapeInvisible keeps line breaks, tabs, letters of every script and emoji', () => {
    const text = 'a\tb\nçñ 日本 עברית العربية हिन्दी e\u0301 👩‍👩‍👧 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿';
    expect(escapeInvisible(text)).toBe(text);
    expect(escapeInvisible('a\r\nb')).toBe('a\nb');
  });

  it('escaped JSON is valid and has the same value', () => {
    const value = { 'a\u200b': ['\x1b\u0085\u202e\u{e0041}\ud800\u2028', '👩‍👩‍👧'] };
    const text = escapeInvisible(JSON.stringify(value, null, 2));
    expect(JSON.parse(text)).toEqual(value);
    expect(text).toContain('"a\\u200b"');
    expect(text).toContain('"\\u001b\\u0085\\u202e\\udb40\\udc41\\ud800\\u2028"');
  });
});

it('escapeToOneLine also escapes line breaks and tabs', () => {
  expect(escapeToOneLine('a\nb\tc\r\n')).toBe('a\\nb\\tc\\r\\n');
});
