/** Shows the bytes that were signed beside those that a receiver verifies. */

/** A part of what was signed and of what a receiver verifies, each on one line. */
export interface Comparison {
  readonly signed: string;
  readonly verified: string;
  /** Index of the first difference in `signed` and in `verified`. */
  readonly difference: number;
}

const CHARS_BEFORE = 16;
const CHARS_AFTER = 40;

/** @returns null if both are the same */
export function compareContent(...contents: [string | Uint8Array, string | Uint8Array]): Comparison | null {
  const [signed = [], verified = []] = contents.map((content) => [...Buffer.from(content).toString()]);
  const { length } = signed.length > verified.length ? signed : verified;
  const index = Array.from({ length }).findIndex((_, position) => signed[position] !== verified[position]);
  if (index === -1) return null;
  const start = Math.max(0, index - CHARS_BEFORE);
  // Texts that look the same are shown with escapes.
  const [first, second] = [signed, verified].map((characters) => characters.join('').normalize('NFKC'));
  const hidden = first === second ? /[^\x20-\x7e]/gu : /[\0-\x1f\x7f]/g;
  const show = (characters: readonly string[]) => characters.join('').replace(hidden, escapeCharacter);
  const prefix = `${start > 0 ? '…' : ''}${show(signed.slice(start, index))}`;
  const showRest = (characters: readonly string[]) =>
    prefix + show(characters.slice(index, index + CHARS_AFTER));
  return { signed: showRest(signed), verified: showRest(verified), difference: prefix.length };
}

function escapeCharacter(character: string): string {
  const escaped = JSON.stringify(character).slice(1, -1);
  return escaped === character ? `\\u{${character.codePointAt(0)?.toString(16)}}` : escaped;
}
