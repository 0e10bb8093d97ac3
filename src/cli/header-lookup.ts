/** Headers whose names are matched in any case; enough of the Fetch API's for verification, without loading that. */
export type HeaderLookup = Pick<Headers, 'get'>;

export function toHeaderLookup(headers: Iterable<readonly [name: string, value: string]>): HeaderLookup {
  const values = new Map(Array.from(headers, ([name, value]) => [name.toLowerCase(), value]));
  return { get: (name) => values.get(name.toLowerCase()) ?? null };
}
