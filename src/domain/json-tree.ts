import { tokenize } from './json-tokens.ts';

/** JSON as a tree with scalars as JSON text (`12.50`, `"a"`, `null`), so that parsing and printing it changes no number. */
export type JsonTree = string | JsonTree[] | Map<string, JsonTree>;

/** The tree of valid JSON text. */
export function parseJsonTree(text: string): JsonTree {
  // Without commas and colons: in valid JSON the order of the other tokens is enough.
  const tokens = tokenize(text).values();
  const next = (): string => {
    const token = tokens.next().value ?? '';
    return token === ',' || token === ':' ? next() : token;
  };
  const parse = (token: string): JsonTree => {
    if (token === '[') return Array.from(tokensUntil(']'), parse);
    if (token !== '{') return token;
    return new Map(
      Array.from(tokensUntil('}'), (key): [string, JsonTree] => [JSON.parse(key), parse(next())]),
    );
  };
  function* tokensUntil(end: string): Generator<string> {
    for (let token = next(); token !== end && token !== ''; token = next()) yield token;
  }
  return parse(next());
}

/** The text of a tree, without whitespace between its tokens. */
export function serializeJsonTree(tree: JsonTree): string {
  if (typeof tree === 'string') return tree;
  if (Array.isArray(tree)) return `[${tree.map(serializeJsonTree).join(',')}]`;
  return `{${Array.from(tree, ([key, value]) => `${JSON.stringify(key)}:${serializeJsonTree(value)}`).join(',')}}`;
}
