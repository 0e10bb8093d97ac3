/** Escapes characters that are invisible or control a terminal. */

/**
 * Control characters (C0, DEL, C1), format characters (bidirectional controls, zero-width characters, tags), the
 * default-ignorable characters of Unicode, line separators and unpaired surrogates.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const INVISIBLE_IN_LINE = new RegExp(INVISIBLE, 'gu');
export const INVISIBLE_IN_LINES = new RegExp(`(?![\\n\\t])${INVISIBLE.source}`, 'gu');

/** Invisible characters that are part of many emoji. */
const EMOJI_PART = /[\u200d\ufe0f\u{e007f}]/u;

// Not a literal: the flag `v` is newer than the language level of this project.
const EMOJI = '\\p{RGI_Emoji}';
/** The emoji that Unicode recommends: a closed list, so that no text can be hidden in one. Created on first use, because that takes tens of milliseconds. */
let emojiPattern: RegExp | undefined;

/** One visible character. Spaces, invisible characters and the empty Braille pattern are not visible. */
export const VISIBLE_CHARACTER = /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** For text that must stay on one line. */
export function escapeToOneLine(text: string): string {
  return escapeAll(text, INVISIBLE_IN_LINE);
}

/** For text with several lines, such as a body: keeps tabs and line breaks, and writes CRLF as LF. */
export function escapeInvisible(text: string): string {
  return escapeAll(text.replaceAll('\r\n', '\n'), INVISIBLE_IN_LINES);
}

/** Applies {@link escapeInvisible} to all strings and names in a JSON value. */
export function escapeInvisibleInJson<Value>(value: Value): Value;
export function escapeInvisibleInJson(value: unknown): unknown {
  if (typeof value === 'string') return escapeInvisible(value);
  if (Array.isArray(value)) return value.map((item) => escapeInvisibleInJson(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [escapeInvisible(name), escapeInvisibleInJson(field)]),
  );
}

function escapeAll(text: string, invisible: RegExp): string {
  if (!EMOJI_PART.test(text)) return text.replace(invisible, escapeCharacter);
  emojiPattern ??= new RegExp(EMOJI, 'gv');
  let escaped = '';
  let end = 0;
  for (const { 0: emoji, index } of text.matchAll(emojiPattern)) {
    escaped += text.slice(end, index).replace(invisible, escapeCharacter) + emoji;
    end = index + emoji.length;
  }
  return escaped + text.slice(end).replace(invisible, escapeCharacter);
}

/**
 * `\n`, `\x1b` or `\u200b`. Strings in valid JSON contain no characters that need the first two forms, and the third one is an
 * escape of JSON too.
 */
function escapeCharacter(character: string): string {
  const shortForm = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
  return shortForm ?? character.split('').map(escapeCodeUnit).join('');
}

function escapeCodeUnit(codeUnit: string): string {
  const code = codeUnit.charCodeAt(0);
  const digits = code.toString(16);
  return code < 0x20 ? `\\x${digits.padStart(2, '0')}` : `\\u${digits.padStart(4, '0')}`;
}
