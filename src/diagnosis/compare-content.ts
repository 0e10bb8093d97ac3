/** Compares what was signed with what a receiver verifies. */

/** A part of each around the first difference, on one line. */
export interface Comparison {
  readonly signed: string;
  readonly verified: string;
  /** Index of the first difference in `signed` and in `verified`. */
  readonly difference: number;
}

const CHARS_BEFORE = 16;
const CHARS_AFTER = 40;

/** @returns null if both are the same */
export function compareContent(
  signed: string | Uint8Array,
  verified: string | Uint8Array,
): Comparison | null {
  const [first, second] = [[...Buffer.from(signed).toString()], [...Buffer.from(verified).toString()]];
  const length = Math.max(first.length, second.length);
  const index = Array.from({ length }).findIndex((_, position) => first[position] !== second[position]);
  if (index === -1) return null;
  const start = Math.max(0, index - CHARS_BEFORE);
  const before = show(first, start, index);
  const rest = (characters: readonly string[]) => show(characters, index, index + CHARS_AFTER);
  const prefix = `${start > 0 ? '…' : ''}${before}`;
  return { signed: prefix + rest(first), verified: prefix + rest(second), difference: prefix.length };
}

function show(characters: readonly string[], start: number, end: number): string {
  return characters
    .slice(start, end)
    .map((character) =>
      character < ' ' || character === '\x7f' ? JSON.stringify(character).slice(1, -1) : character,
    )
    .join('');
}
