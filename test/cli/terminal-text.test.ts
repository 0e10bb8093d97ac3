import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { styleFor } from '../../src/cli/render/style.ts';
import { link, sanitizeForTerminal, sanitizeLine, stripStyles } from '../../src/cli/terminal-text.ts';

const EMOJI = '\\p{RGI_Emoji}';
const { red, bold } = styleFor({ color: true });

describe('terminal text', () => {
  it.each([
    ['an escape sequence', 'a\x1b[2Jb', 'a\\x1b[2Jb'],
    ['a color that svc did not create', '\x1b[31mred', '\\x1b[31mred'],
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
  ])('the escape is printed for %s', (_, text, shown) => {
    expect(sanitizeForTerminal(text)).toBe(shown);
  });

  it('line breaks, tabs, letters of every script and emoji are printed unchanged', () => {
    const text = 'a\tb\nçñ 日本 עברית العربية हिन्दी e\u0301 👩‍👩‍👧 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿';
    expect(sanitizeForTerminal(text)).toBe(text);
  });

  it('styles and links of svc are kept, and their content is escaped', () => {
    expect(sanitizeForTerminal(bold(red('a\x1b[0m')))).toBe('\x1b[1m\x1b[31ma\\x1b[0m\x1b[39m\x1b[22m');
    expect(sanitizeForTerminal(link('a\u200b', 'http://a/'))).toBe(
      '\x1b]8;;http://a/\x1b\\a\\u200b\x1b]8;;\x1b\\',
    );
  });

  it('a link target cannot end its link early', () => {
    expect(sanitizeForTerminal(link('a', 'http://a/\x1b\\\x1b[2J'))).not.toContain('\x1b[');
  });

  it('a line break in a single line is printed as an escape', () => {
    expect(sanitizeLine('a\nhint: b')).toBe('a\\nhint: b');
  });

  it('stripStyles removes the styles of svc and escapes the others', () => {
    expect(stripStyles(red('a\x1b[31m'))).toBe('a\\x1b[31m');
  });

  it('sanitized text contains no invisible character', () => {
    const unit = fc.constantFrom(
      ...'\x1b[31m\n\t\u009b\u202e\u200d\ufe0f👩',
      '\ud83d',
      '\u{e007f}',
      red('a'),
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
        const rest = sanitizeForTerminal(text)
          .replace(/\x1b\[3[19]m/g, '')
          .replace(new RegExp(EMOJI, 'gv'), '');
        expect(rest).not.toMatch(/(?![\n\t])[\p{C}\p{Default_Ignorable_Code_Point}]/u);
      }),
    );
  });

  it('sanitized JSON is valid and has the same value', () => {
    const value = { 'a\u200b': ['\x1b\u0085\u202e\u{e0041}\ud800\u2028', '👩‍👩‍👧'] };
    const text = sanitizeForTerminal(JSON.stringify(value, null, 2));
    expect(JSON.parse(text)).toEqual(value);
    expect(text).toContain('"a\\u200b"');
    expect(text).toContain('"\\u001b\\u0085\\u202e\\udb40\\udc41\\ud800\\u2028"');
  });
});
