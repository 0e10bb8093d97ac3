/** JSON as a tree whose scalars are still text, so that taking it apart and putting it together changes no number. */

/** A scalar is its JSON text: `12.50`, `"a"`, `null`. */
export type JsonTree = string | JsonTree[] | Map<string, JsonTree>;

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]|[^\s{}[\]:,"]+/g;

/** The tree of valid JSON text. */
export function parseJsonTree(text: string): JsonTree {
  const tokens = text.match(TOKEN)?.values() ?? [].values();
  // Commas and colons are left out: in valid JSON the order of the other tokens tells everything.
  const read = (token: string): JsonTree => {
    if (token === '[') return Array.from(until(']'), read);
    if (token !== '{') return token;
    return new Map(Array.from(until('}'), (key): [string, JsonTree] => [JSON.parse(key), read(next())]));
  };
  const next = () => tokens.next().value ?? '';
  function* until(end: string): Generator<string> {
    for (let token = next(); token !== end && token !== ''; token = next()) yield token;
  }
  return read(next());
}

/** The text of a tree, without white space between its tokens. */
export function printJsonTree(tree: JsonTree): string {
  if (typeof tree === 'string') return tree;
  if (Array.isArray(tree)) return `[${tree.map(printJsonTree).join(',')}]`;
  return `{${Array.from(tree, ([key, value]) => `${JSON.stringify(key)}:${printJsonTree(value)}`).join(',')}}`;
}
