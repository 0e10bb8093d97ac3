/** Paths into JSON text, such as `items[0].price`, `items[-1]`, `items[]`, `meta["a.b"]`: parses, formats, reads and edits. */
import {
  applyEdits,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type Node,
  parseTree,
  visit,
} from 'jsonc-parser';
import { SvcError } from './errors.ts';
import { isJson } from './json.ts';
import { compactJson, indentJson } from './json-text.ts';
import { suggestMatch } from './message-parts.ts';

/** The name of a field, the index of an item (negative from the end), or null for the position after the last item. */
export type PathStep = string | number | null;

/** A name, a quoted name in brackets, or an index in brackets, which cannot be the first step. */
const STEP = /(?:^|(?<=.)\.)([^.[\]]+)|\[("(?:[^"\\]|\\.)*")\]|(?<=.)\[(-?\d+)?\]/gy;

/** @throws SvcError `usage` when `path` is invalid */
export function parsePath(path: string): PathStep[] {
  const matches = [...path.matchAll(STEP)];
  // The matches of a valid path cover all of it.
  const length = matches.reduce((sum, [text]) => sum + text.length, 0);
  if (length !== path.length || length === 0) throw createInvalidPathError(path);
  try {
    return matches.map(([, name, quoted, index]) => name ?? JSON.parse(quoted ?? index ?? 'null'));
  } catch {
    throw createInvalidPathError(path);
  }
}

/** The inverse of {@link parsePath}. */
export function formatPath(steps: readonly PathStep[]): string {
  return steps.map(formatStep).join('').replace(/^\./, '');
}

/** The JSON text of the value at a path; undefined if it does not exist. `text` must be valid JSON. */
export function getTextAtPath(text: string, steps: readonly PathStep[]): string | undefined {
  const root = parseTree(text);
  const node = root && findNodeAtLocation(root, toLocation(root, steps));
  return node && compactJson(text.slice(node.offset, node.offset + node.length));
}

/** Every path that exists in a JSON text. */
export function listJsonPaths(text: string): JSONPath[] {
  const paths: JSONPath[] = [];
  visit(text, {
    onObjectBegin: (_offset, _length, _line, _column, getPath) => void paths.push(getPath()),
    onArrayBegin: (_offset, _length, _line, _column, getPath) => void paths.push(getPath()),
    onLiteralValue: (_value, _offset, _length, _line, _column, getPath) => void paths.push(getPath()),
  });
  return paths.filter((path) => path.length > 0);
}

/** The steps with indices that count from the start. An index that does not exist can be negative. */
function toLocation(root: Node, steps: readonly PathStep[]): JSONPath {
  const path: JSONPath = [];
  for (const step of steps) {
    const length = findNodeAtLocation(root, path)?.children?.length ?? 0;
    path.push(typeof step === 'string' || (step !== null && step >= 0) ? step : length + (step ?? 0));
  }
  return path;
}

function formatStep(step: PathStep): string {
  if (typeof step === 'number') return `[${step}]`;
  if (step === null) return '[]';
  // Other names could be read as part of the path or as an assignment.
  return /^[^.[\]="'\s]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}

function createInvalidPathError(path: string): SvcError {
  return new SvcError('usage', `${JSON.stringify(path)} is not a valid path.`, {
    hint: 'Write a path such as items[0].price. The last item is items[-1], the position after it items[]. Quote a name with dots: meta["a.b"]',
  });
}

/** `override` replaces an existing value. `add` adds a value where none exists, and creates its parents. `value` is JSON text. */
export type JsonEdit =
  | { readonly kind: 'override' | 'add'; readonly path: string; readonly value: string }
  | { readonly kind: 'remove'; readonly path: string };

/** In a hint. */
const MAX_LISTED_PATHS = 10;

/** `path=value`. The first `=` outside brackets ends the path. */
const ASSIGNMENT = /^((?:\[(?:"(?:[^"\\]|\\.)*"|[^\]]*)\]|[^=[])+)=(.*)$/s;
/** The start of JSON that is not a bare word; `{{` starts a template of a fixture. */
const JSON_START = /^(?:["[]|\{(?!\{))/;

/** Whether `text` has the form `path=value`. */
export function isAssignment(text: string): boolean {
  return ASSIGNMENT.test(text);
}

/**
 * Reads `path=value`. A value that is JSON keeps its type and text (`12.50`, `true`, `null`, `{"a":1}`, `"12"`); any
 * other value is a string.
 * @throws SvcError `usage` when there is no path or no `=`, and for a value that starts like JSON but is invalid: the shell has
 *   probably removed its quotes.
 */
export function parseAssignment(text: string): { path: string; value: string } {
  const [, path, value] = ASSIGNMENT.exec(text) ?? [];
  if (path === undefined || value === undefined) {
    throw new SvcError('usage', `${JSON.stringify(text)} does not have the form path=value.`);
  }
  if (isJson(value)) return { path, value };
  if (JSON_START.test(value)) {
    throw new SvcError('usage', `The value of ${path} starts like JSON but is not valid JSON: ${value}`, {
      hint: `Put the argument in single quotes for the shell, or write ${JSON.stringify(value)} to pass a string.`,
    });
  }
  return { path, value: JSON.stringify(value) };
}

/**
 * Applies `edits`, in order, to a JSON object that `parseJsonObject` accepts. The result has no whitespace between
 * its tokens.
 * @throws SvcError `usage` that names the path that is invalid, does not exist, or already exists.
 */
export function applyJsonEdits(text: string, edits: readonly JsonEdit[]): string {
  // The library removes the last item of an array only from indented text.
  return compactJson(edits.reduce(applyEdit, indentJson(text)));
}

function applyEdit(text: string, edit: JsonEdit): string {
  const root = parseTree(text) as Node;
  const path = toLocation(root, parsePath(edit.path));
  const exists = findNodeAtLocation(root, path) !== undefined;
  if (edit.kind === 'add' && exists) {
    throw new SvcError('usage', `${edit.path} already exists.`, {
      hint: 'To change it, use override instead of add.',
    });
  }
  if (edit.kind !== 'add' && !exists) throw createMissingPathError(text, edit);
  if (edit.kind === 'remove') return applyEdits(text, modify(text, path, undefined, {}));
  // The library would write the value's numbers and escapes in its own way, so it only makes the place for it.
  const withPlace = addNull(text, path);
  const place = findNodeAtLocation(parseTree(withPlace) as Node, path);
  if (place === undefined) {
    throw new SvcError('usage', `Nothing can be added at ${edit.path}.`, {
      hint: 'Add a field to an object, such as meta.source, or an item to the end of an array, such as items[].',
    });
  }
  return withPlace.slice(0, place.offset) + edit.value + withPlace.slice(place.offset + place.length);
}

function addNull(text: string, path: JSONPath): string {
  try {
    return applyEdits(text, modify(text, path, null, {}));
  } catch {
    // The parent is neither an object nor an array, or is the other one of the two.
    return text;
  }
}

function createMissingPathError(text: string, { path, kind }: JsonEdit): SvcError {
  const paths = listJsonPaths(text).map(formatPath);
  const listed = paths.slice(0, MAX_LISTED_PATHS).join(', ') || 'nothing yet';
  const hint = suggestMatch(path, paths) ?? `The payload has: ${listed}.`;
  return new SvcError('usage', `${path} does not exist.`, {
    hint: kind === 'override' ? `${hint} To add a new value, use add instead of override.` : hint,
  });
}
