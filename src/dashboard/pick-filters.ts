/** Reads the filters of a list from the query of the URL. */
import { parseRelativeTime } from '../domain/duration.ts';

/**
 * The trimmed values of `names` that are valid and not empty.
 * @param isStatus whether a text is a value of the filter `status`
 */
export function pickFilters<Name extends string>(
  query: Readonly<Record<string, string>>,
  names: readonly Name[],
  isStatus = isHttpStatus,
): { readonly [_ in Name]?: string } {
  const isValid = (name: Name, text: string) => {
    if (name === 'since' || name === 'until') return !Number.isNaN(parseRelativeTime(text, 0));
    return name !== 'status' || isStatus(text);
  };
  const entries = names.flatMap((name) => {
    const text = query[name]?.trim() ?? '';
    return text !== '' && isValid(name, text) ? [[name, text]] : [];
  });
  return Object.fromEntries(entries);
}

function isHttpStatus(text: string): boolean {
  return /^[1-5]\d\d$/.test(text);
}
