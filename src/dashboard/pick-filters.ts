/** Reads the filters of a list from the query of the URL. */
import { parseRelativeTime } from '../domain/relative-time.ts';

/** The trimmed values of `names` that are valid and not empty. */
export function pickFilters<Name extends string>(
  query: Readonly<Record<string, string>>,
  names: readonly Name[],
): { readonly [_ in Name]?: string } {
  const entries = names.flatMap((name) => {
    const text = query[name]?.trim() ?? '';
    return text !== '' && isValidFilter(name, text) ? [[name, text]] : [];
  });
  return Object.fromEntries(entries);
}

function isValidFilter(name: string, text: string): boolean {
  if (name === 'since' || name === 'until') return !Number.isNaN(parseRelativeTime(text, 0));
  return name !== 'status' || /^[1-5]\d\d$/.test(text);
}
