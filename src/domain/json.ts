/**
 * JSON as text. A payload reaches the receiver with its numbers as they were written (`12.50`, `1e400`, 2^53 + 1), which
 * a parsed value cannot guarantee.
 */
import { visit } from 'jsonc-parser';
import { SvcError } from '../errors.ts';
import { compactJson, tokenize } from './json-text.ts';

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

/**
 * The text of the value of each top-level field. `text` must be a valid JSON object.
 * @throws SvcError `invalid_request` for a duplicate field, or when it is nested too deeply.
 */
function scanFields(text: string, subject: string): Map<string, string> {
  const fields = new Map<string, string>();
  const openKeys: Set<string>[] = [];
  let depth = 0;
  let name = '';
  let start = 0;
  const open = () => {
    if (++depth <= MAX_JSON_DEPTH) return;
    throw new SvcError('invalid_request', `${subject} is nested more than ${MAX_JSON_DEPTH} levels deep.`, {
      hint: 'Use fewer levels: many JSON parsers limit them.',
    });
  };
  const endValue = (end: number) => {
    if (depth === 1) fields.set(name, text.slice(start, end));
  };
  visit(text, {
    onObjectBegin() {
      open();
      openKeys.push(new Set());
    },
    onArrayBegin: open,
    onObjectProperty(key, _offset, _length, _line, _column, getParentPath) {
      const keys = openKeys.at(-1);
      if (keys?.has(key)) {
        const path = formatFieldPath([...getParentPath(), key]);
        throw new SvcError('invalid_request', `${subject} has a duplicate field: ${path}.`, {
          hint: 'Remove one of the two: JSON parsers disagree about which one counts.',
        });
      }
      keys?.add(key);
      if (depth === 1) name = key;
    },
    onSeparator(character, offset) {
      if (character === ':' && depth === 1) start = offset + 1;
    },
    onLiteralValue: (_, offset, length) => endValue(offset + length),
    onArrayEnd(offset) {
      depth--;
      endValue(offset + 1);
    },
    onObjectEnd(offset) {
      openKeys.pop();
      depth--;
      endValue(offset + 1);
    },
  });
  return fields;
}

/** `payload.items[2].sku` */
export function formatFieldPath(path: readonly unknown[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return steps.join('').replace(/^\./, '');
}

/**
 * Line and column, both counted from 1, of the first text that JSON does not allow in its place. `JSON.parse` reports them only
 * in some of its messages, and differently in each version of Node.js.
 */
export function locateJsonError(text: string): { readonly line: number; readonly column: number } {
  let index = text.length;
  const onError = (_: unknown, offset: number) => {
    index = Math.min(index, offset);
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch {
    // Nested deeper than the call stack, so what is missing is probably at the end.
  }
  const lines = text.slice(0, index).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
