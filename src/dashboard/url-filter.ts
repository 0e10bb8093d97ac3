/** The filter of a list in the query of a URL. The schemas of the control plane decide which values are valid. */
import * as v from 'valibot';
import type { Condition } from '../contract/list-filters.ts';
import { parseRelativeTime } from '../domain/duration.ts';

/** Values as the URL contains them; none is empty or invalid. */
export type FilterTexts<Fields> = { readonly [Name in keyof Fields]?: string };
type FilterInput<Fields extends v.ObjectEntries> = Partial<v.InferOutput<v.ObjectSchema<Fields, undefined>>>;

/** The trimmed values of the fields. Values that are empty or invalid are ignored. */
export function pickFilters<Fields extends v.ObjectEntries>(
  fields: Fields,
  query: Readonly<Record<string, string>>,
): FilterTexts<Fields> {
  const entries = Object.keys(fields).flatMap((name) => {
    const text = query[name]?.trim() ?? '';
    return text !== '' && parse(fields, name, text).success ? [[name, text]] : [];
  });
  return Object.fromEntries(entries);
}

function parse(fields: v.ObjectEntries, name: string, text: string) {
  // The classes of statuses are lower-case.
  return v.safeParse(fields[name] as v.GenericSchema, name.endsWith('status') ? text.toLowerCase() : text);
}

/** The filter as parameters of the control plane. */
export function toListInput<Fields extends v.ObjectEntries>(
  fields: Fields,
  filter: FilterTexts<Fields>,
): FilterInput<Fields> {
  const entries = Object.entries<string>(filter as Record<string, string>);
  return Object.fromEntries(entries.map(([name, text]) => [name, parse(fields, name, text).output])) as never;
}

/** The filter as a condition for items of the live stream. @param now in milliseconds since 1970 */
export function toCondition<Fields extends v.ObjectEntries>(
  fields: Fields,
  filter: FilterTexts<Fields>,
  now: number,
): Condition<FilterInput<Fields>> {
  const { since, until, ...others } = toListInput(fields, filter) as { since?: string; until?: string };
  const times = Object.entries({ since, until }).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, parseRelativeTime(text, now)]],
  );
  return { ...others, ...Object.fromEntries(times) } as never;
}
