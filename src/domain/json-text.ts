/**
 * JSON as text. A payload reaches the receiver with its numbers as they were written (`12.50`, `1e400`, 2^53 + 1), which
 * a parsed value cannot guarantee.
 */
import { createScanner, format, visit } from 'jsonc-parser';
import { SvcError } from './errors.ts';
import { formatFieldPath, isJson, isObject } from './json.ts';

/** Deeper documents are rejected, because many JSON parsers limit the depth, so that receivers could not read them. */
export const MAX_JSON_DEPTH = 128;

export interface JsonObjectText {
  /** The parsed fields, for validation. */
  readonly value: Record<string, unknown>;
  /** The text of a top-level field's value without insignificant whitespace; undefined if it does not exist. */
  fieldText(name: string): string | undefined;
  /** The same as it was written. */
  writtenText(name: string): string | undefined;
}

export function isJsonObjectText(text: string): boolean {
  try {
    parseJsonObject(text);
    return true;
  } catch {
    return false;
  }
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
    writtenText: (name) => fields.get(name)?.trim(),
  };
}

/** The same JSON text without whitespace between its tokens. `text` must be valid JSON. */
export function compactJson(text: string): string {
  // Most clients send no whitespace.
  if (!/[ \t\r\n]/.test(text)) return text;
  const scanner = createScanner(text, true);
  let result = '';
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan())
    result += text.slice(scanner.getTokenOffset(), scanner.getTokenOffset() + scanner.getTokenLength());
  return result;
}

/**
 * JSON text indented by two spaces, as `JSON.stringify(…, null, 2)` does it, but with every number and string as it was
 * written. Text that is not JSON is returned unchanged.
 */
export function indentJson(text: string): string {
  if (!isJson(text)) return text;
  const compact = compactJson(text);
  const indentation = { insertSpaces: true, tabSize: 2, eol: '\n' };
  let result = '';
  let end = 0;
  // Not `applyEdits`, which takes a minute for 300 KB.
  for (const { offset, length, content } of format(compact, undefined, indentation)) {
    result += compact.slice(end, offset) + content;
    end = offset + length;
  }
  return result + compact.slice(end);
}

/**
 * The text of the value of each top-level field. `text` must be a valid JSON object.
 * @throws SvcError `invalid_request` for a duplicate field, or when it is nested too deeply.
 */
function scanFields(text: string, subject: string): Map<string, string> {
  const fields = new Map<string, string>();
  /** The field names of each open object, and nothing for each open array. */
  const names: Set<string>[] = [];
  let name: string | undefined;
  let start = 0;
  const open = () => {
    if (names.push(new Set()) <= MAX_JSON_DEPTH) return;
    throw new SvcError('invalid_request', `${subject} is nested more than ${MAX_JSON_DEPTH} levels deep.`, {
      hint: 'Use fewer levels: many JSON parsers limit them.',
    });
  };
  const endField = (end: number) => {
    if (names.length === 1 && name !== undefined) fields.set(name, text.slice(start, end));
  };
  visit(text, {
    onObjectBegin: open,
    onArrayBegin: open,
    onObjectProperty(key, _offset, _length, _line, _column, getParentPath) {
      const siblings = names.at(-1);
      if (siblings?.has(key)) {
        const path = formatFieldPath([...getParentPath(), key]);
        throw new SvcError('invalid_request', `${subject} has a duplicate field: ${path}.`, {
          hint: 'Remove one of the two: JSON parsers disagree about which one counts.',
        });
      }
      siblings?.add(key);
      if (names.length === 1) name = key;
    },
    onSeparator(character, offset) {
      if (character === ',') endField(offset);
      else if (names.length === 1) start = offset + 1;
    },
    onArrayEnd: () => names.pop(),
    onObjectEnd(offset) {
      endField(offset);
      names.pop();
    },
  });
  return fields;
}

export interface JsonPosition {
  readonly line: number;
  readonly column: number;
  readonly index: number;
}

/**
 * Line and column, both counted from 1, and the index of the first text that JSON does not allow in its place. `JSON.parse` reports them only
 * in some of its messages, and differently in each version of Node.js.
 */
export function locateJsonError(text: string): JsonPosition {
  let index = text.length;
  const onError = (_: unknown, offset: number) => {
    index = Math.min(index, offset);
  };
  visit(text, { onError }, { disallowComments: true });
  const lines = text.slice(0, index).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, index };
}
