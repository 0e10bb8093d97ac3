import { isJson } from './json.ts';

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/**
 * JSON text indented by two spaces, as `JSON.stringify(…, null, 2)` would, but with every number and string as it was
 * written. Text that is not JSON comes back unchanged.
 */
export function indentJson(text: string): string {
  if (!isJson(text)) return text;
  let result = '';
  let depth = 0;
  let previous = '';
  for (const [token] of text.matchAll(TOKEN)) {
    const closes = token === '}' || token === ']';
    const opened = previous === '{' || previous === '[';
    if (closes) depth--;
    if ((closes && !opened) || (opened && !closes) || previous === ',') result += `\n${'  '.repeat(depth)}`;
    result += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth++;
    previous = token;
  }
  return result;
}
