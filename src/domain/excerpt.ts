/** Parts of long texts around what the user searches for. */

const BEFORE = 30;
const AFTER = 90;

/**
 * The part of a text around the first match, on one line: `…"carrier":"DHL"…`. Case-insensitive.
 * @returns null without a match
 */
export function findExcerpt(text: string, search: string): string | null {
  const index = text.toLowerCase().indexOf(search.toLowerCase());
  if (index === -1) return null;
  const start = Math.max(0, index - BEFORE);
  const end = index + search.length + AFTER;
  const excerpt = text.slice(start, end).replace(/\s+/g, ' ').trim();
  return `${start > 0 ? '…' : ''}${excerpt}${end < text.length ? '…' : ''}`;
}
