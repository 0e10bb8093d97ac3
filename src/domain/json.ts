/**
 * JSON as text. A payload reaches the receiver with its numbers as they were written (`12.50`, `1e400`, 2^53 + 1), which
 * a parsed value cannot guarantee.
 */
import { SvcError } from '../errors.ts';
import { endOfToken, skipSpace, tokenize } from './json-tokens.ts';

/** Deeper documents are rejected, because many JSON parsers limit the depth, so that receivers could not read them. */
export const MAX_JSON_DEPTH = 128;

export interface JsonObjectText {
  /** The parsed fields, for validation. */
  readonly value: Record<string, unknown>;
  /** The text of a top-level field's value without insignificant whitespace; undefined if it does not exist. */
  fieldText(name: string): string | undefined;
}

/**
 * Parses the text of a JSON object.
 * @param subject of the sentence in an error
 * @throws SvcError `invalid_request` if it is not JSON, is not an object, has a field twice (parsers disagree on which
 *   one counts), or is nested more than {@link MAX_JSON_DEPTH} levels deep.
 */
export function parseJsonObject(text: string, subject = 'The body'): JsonObjectText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    throw new SvcError('invalid_request', `${subject} is not JSON: ${message}.`, { cause: error });
  }
  if (!isObject(value)) {
    throw new SvcError('invalid_request', `${subject} must be a JSON object.`);
  }
  const fields = scanFields(text, subject);
  return {
    value: value as Record<string, unknown>,
    fieldText(name) {
      const field = fields.get(name);
      return field === undefined ? undefined : compactJson(field);
    },
  };
}

/** The same JSON text without whitespace between its tokens. `text` must be valid JSON. */
export function compactJson(text: string): string {
  // Most clients send no whitespace.
  return /[ \t\r\n]/.test(text) ? tokenize(text).join('') : text;
}

/**
 * JSON text indented by two spaces, as `JSON.stringify(…, null, 2)` does it, but with every number and string as it was
 * written. Text that is not JSON is returned unchanged.
 */
export function indentJson(text: string): string {
  if (!isJson(text)) return text;
  let result = '';
  let depth = 0;
  let previous = '';
  for (const token of tokenize(text)) {
    const isClosing = token === '}' || token === ']';
    const isAfterOpening = previous === '{' || previous === '[';
    if (isClosing) depth--;
    // A line break after an opening bracket and before a closing one, but not between them.
    if (isClosing !== isAfterOpening || previous === ',') result += `\n${'  '.repeat(depth)}`;
    result += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth++;
    previous = token;
  }
  return result;
}

/** The same JSON with a space after each comma and colon, as `json.dumps` of Python writes it. */
export function addJsonSpaces(text: string): string {
  let result = '';
  for (const token of tokenize(text)) result += token === ',' || token === ':' ? `${token} ` : token;
  return result;
}

/** Escapes all characters outside ASCII, as Python and PHP write JSON. */
export function escapeNonAscii(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, toUnicodeEscape);
}

/** Escapes the characters that are unsafe in HTML, as Go writes JSON. */
export function escapeJsonForHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, toUnicodeEscape);
}

/** `\u00e9` for `é`. @param char one UTF-16 code unit */
export function toUnicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The value of a JSON text; undefined if it is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isJson(text: string): boolean {
  return tryParseJson(text) !== undefined;
}

/** Whether a value contains objects and arrays on more than {@link MAX_JSON_DEPTH} levels. */
export function isNestedTooDeeply(value: unknown): boolean {
  // Not recursive, because the value can be deeper than the call stack.
  let level = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_JSON_DEPTH) return true;
    level = level.flatMap((container) => Object.values(container)).filter(isContainer);
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Whether a value is an object, but not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One open object or array during the scan. */
interface OpenValue {
  /** The keys up to now; null for an array. */
  readonly keys: Set<string> | null;
  /** The key or index in progress. */
  keyOrIndex: string | number;
}

/**
 * The text of the value of each top-level field. `text` must be a valid JSON object.
 * @throws SvcError `invalid_request` for a duplicate field, or when it is nested too deeply.
 */
function scanFields(text: string, subject: string): Map<string, string> {
  const fields = new Map<string, string>();
  const openValues: OpenValue[] = [];
  let fieldStart = 0;
  let previous = '';
  for (let start = skipSpace(text, 0), end = 0; start < text.length; start = skipSpace(text, end)) {
    end = endOfToken(text, start);
    const first = text.charAt(start);
    const current = openValues.at(-1);
    const isFirst = previous === '{' || previous === ',';
    // The end of a field.
    if (openValues.length === 1 && (first === ',' || first === '}') && previous !== '{') {
      fields.set(String(current?.keyOrIndex), text.slice(fieldStart, start));
    }
    if (current?.keys && isFirst && first !== '}')
      addKey(openValues, current, text.slice(start, end), subject);
    else if (first === ':' && openValues.length === 1) fieldStart = end;
    else if (first === '{' || first === '[') {
      openValues.push({ keys: first === '{' ? new Set() : null, keyOrIndex: 0 });
      if (openValues.length > MAX_JSON_DEPTH) {
        throw new SvcError(
          'invalid_request',
          `${subject} is nested more than ${MAX_JSON_DEPTH} levels deep.`,
        );
      }
    } else if (first === '}' || first === ']') openValues.pop();
    else if (first === ',' && typeof current?.keyOrIndex === 'number') current.keyOrIndex++;
    previous = first;
  }
  return fields;
}

function addKey(openValues: readonly OpenValue[], current: OpenValue, token: string, subject: string): void {
  const key: string = token.includes('\\') ? JSON.parse(token) : token.slice(1, -1);
  current.keyOrIndex = key;
  if (current.keys?.has(key)) {
    const path = openValues.map(({ keyOrIndex }) => keyOrIndex);
    throw new SvcError('invalid_request', `${subject} has a duplicate field: ${formatFieldPath(path)}.`);
  }
  current.keys?.add(key);
}

/** `payload.items[2].sku` */
export function formatFieldPath(path: readonly unknown[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return steps.join('').replace(/^\./, '');
}
