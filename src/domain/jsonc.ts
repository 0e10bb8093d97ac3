/** Edits JSON with comments and trailing commas, such as the configuration files of editors. Everything else in the text stays. */
import { CHAR_CODES, endOfString, endOfToken, skipSpace } from './json-tokens.ts';

interface Field {
  readonly name: string;
  readonly keyStart: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** The text as plain JSON: comments and trailing commas are replaced by spaces, so that positions stay the same. */
export function toPlainJson(text: string): string {
  const withoutComments = text.replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (token) =>
    token.startsWith('"') ? token : token.replace(/[^\n]/g, ' '),
  );
  return withoutComments
    .replace(/^\uFEFF/, ' ')
    .replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, (token) => (token === ',' ? ' ' : token));
}

/**
 * Sets `section.name` of an object. Adds the section and the field if they do not exist.
 * @param text valid JSON with comments, whose root and section are objects; or empty text
 */
export function setJsoncField(text: string, section: string, name: string, value: unknown): string {
  if (text.trim() === '') return `${JSON.stringify({ [section]: { [name]: value } }, null, 2)}\n`;
  const json = toPlainJson(text);
  const root = skipSpace(json, 0);
  const indent = /\n([ \t]+)"/.exec(json)?.[1] ?? '  ';
  const found = findField(json, root, section);
  if (found === undefined) return insertField(text, json, root, section, { [name]: value }, indent, 1);
  const existing = findField(json, found.valueStart, name);
  if (existing === undefined) return insertField(text, json, found.valueStart, name, value, indent, 2);
  return text.slice(0, existing.valueStart) + format(value, indent, 2) + text.slice(existing.valueEnd);
}

/** Removes `section.name`, and the section if it is then empty. */
export function removeJsoncField(text: string, section: string, name: string): string {
  const json = toPlainJson(text);
  const root = skipSpace(json, 0);
  const found = findField(json, root, section);
  const field = found && findField(json, found.valueStart, name);
  if (found === undefined || field === undefined) return text;
  const isOnly = listFields(json, found.valueStart).length === 1;
  return isOnly && !hasComment(text, json, found)
    ? removeField(text, json, root, found)
    : removeField(text, json, found.valueStart, field);
}

/** The value of `section.name`; undefined if it does not exist. */
export function readJsoncField(text: string, section: string, name: string): unknown {
  return text.trim() === '' ? undefined : Object(Object(JSON.parse(toPlainJson(text)))[section])[name];
}

function hasComment(text: string, json: string, { valueStart, valueEnd }: Field): boolean {
  return (
    /\/[/*]/.test(text.slice(valueStart, valueEnd)) &&
    text.slice(valueStart, valueEnd) !== json.slice(valueStart, valueEnd)
  );
}

function findField(json: string, objectStart: number, name: string): Field | undefined {
  return listFields(json, objectStart).find((field) => field.name === name);
}

/** The fields of the object that starts at an index. */
function listFields(json: string, objectStart: number): Field[] {
  const fields: Field[] = [];
  let index = skipSpace(json, objectStart + 1);
  while (json.charCodeAt(index) === CHAR_CODES.quote) {
    const keyStart = index;
    const keyEnd = endOfString(json, index) + 1;
    const valueStart = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const valueEnd = endOfValue(json, valueStart);
    fields.push({ name: JSON.parse(json.slice(keyStart, keyEnd)), keyStart, valueStart, valueEnd });
    index = skipSpace(json, valueEnd);
    if (json.charCodeAt(index) === CHAR_CODES.comma) index = skipSpace(json, index + 1);
  }
  return fields;
}

function endOfValue(json: string, start: number): number {
  let depth = 0;
  let index = start;
  do {
    const code = json.charCodeAt(index);
    if (code === CHAR_CODES.openBrace || code === CHAR_CODES.openBracket) depth++;
    if (code === CHAR_CODES.closeBrace || code === CHAR_CODES.closeBracket) depth--;
    index = endOfToken(json, index);
    if (depth > 0) index = skipSpace(json, index);
  } while (depth > 0);
  return index;
}

function insertField(
  text: string,
  json: string,
  objectStart: number,
  name: string,
  value: unknown,
  indent: string,
  depth: number,
): string {
  const last = listFields(json, objectStart).at(-1);
  const field = `\n${indent.repeat(depth)}${JSON.stringify(name)}: ${format(value, indent, depth)}`;
  if (last !== undefined) return `${text.slice(0, last.valueEnd)},${field}${text.slice(last.valueEnd)}`;
  const rest = text.slice(objectStart + 1);
  const lineEnd = /^[ \t]*\}/.test(rest) ? `\n${indent.repeat(depth - 1)}` : '';
  return text.slice(0, objectStart + 1) + field + lineEnd + rest.replace(/^[ \t]+(?=\})/, '');
}

function format(value: unknown, indent: string, depth: number): string {
  return JSON.stringify(value, null, indent).replaceAll('\n', `\n${indent.repeat(depth)}`);
}

function removeField(text: string, json: string, objectStart: number, field: Field): string {
  const fields = listFields(json, objectStart);
  const index = fields.findIndex(({ keyStart }) => keyStart === field.keyStart);
  const [previous, next] = [fields[index - 1], fields[index + 1]];
  // With the comma before it, or the comma after the first field.
  if (previous !== undefined) return text.slice(0, previous.valueEnd) + text.slice(field.valueEnd);
  if (next !== undefined) return text.slice(0, field.keyStart) + text.slice(next.keyStart);
  const rest = text.slice(field.valueEnd).replace(/^\s*,/, '');
  const before = text.slice(0, field.keyStart).replace(/\s+$/, '');
  return before.endsWith('{') && /^\s*\}/.test(rest) ? before + rest.trimStart() : before + rest;
}
