/** Paths into JSON text, such as `items[0].price`, `items[-1]`, `items[]`, `meta["a.b"]`: parses, formats, reads and edits. */
import { applyEdits, findNodeAtLocation, type JSONPath, modify, type Node, parseTree } from 'jsonc-parser';
import { SvcError } from '../errors.ts';
import { isJson, isNestedTooDeeply, MAX_JSON_DEPTH } from './json.ts';
import { compactJson } from './json-text.ts';
import { formatCount, suggestMatch } from './message-parts.ts';

/** The name of a field, the index of an item (negative from the end), or null for the position after the last item. */
export type PathStep = string | number | null;

/** A name, a quoted name in brackets, or an index in brackets, which cannot be the first step. */
const STEP = /(?:^|(?<=.)\.)([^.[\]]+)|\[("(?:[^"\\]|\\.)*"|'[^']*')\]|(?<=.)\[(-?\d*)\]/gy;

/** @throws SvcError `usage` when `path` is invalid, or has more than {@link MAX_JSON_DEPTH} steps. */
export function parsePath(path: string): PathStep[] {
  const matches = [...path.matchAll(STEP)];
  // The matches of a valid path cover all of it.
  const length = matches.reduce((sum, [text]) => sum + text.length, 0);
  if (length !== path.length || length === 0) throw createInvalidPathError(path);
  // Code that walks along a path can be recursive.
  if (matches.length > MAX_JSON_DEPTH) throw createTooDeepError();
  return matches.map(([, name, quoted, index]) => {
    if (name !== undefined) return name;
    return quoted === undefined ? parseIndex(index ?? '', path) : unquote(quoted, path);
  });
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
export function listJsonPaths(text: string): PathStep[][] {
  const root = parseTree(text);
  return root === undefined ? [] : listChildPaths(root, []);
}

function listChildPaths(node: Node, parent: readonly PathStep[]): PathStep[][] {
  return listEntries(node).flatMap(([step, child]) => {
    const path = [...parent, step];
    return [path, ...listChildPaths(child, path)];
  });
}

/** The names and values of an object, the indices and items of an array; empty for other values. */
function listEntries({ type, children = [] }: Node): [string | number, Node][] {
  if (type === 'array') return children.map((item, index) => [index, item]);
  return children.flatMap(({ children: [key, value] = [] }): [string, Node][] =>
    key && value ? [[key.value, value]] : [],
  );
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

function parseIndex(text: string, path: string): number | null {
  if (text === '-') throw createInvalidPathError(path);
  return text === '' ? null : Number(text);
}

function unquote(quoted: string, path: string): string {
  if (quoted.startsWith("'")) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted);
  } catch {
    throw createInvalidPathError(path);
  }
}

function createInvalidPathError(path: string): SvcError {
  return new SvcError('usage', `${JSON.stringify(path)} is not a valid path.`, {
    hint: 'Write a path such as items[0].price. The last item is items[-1], the position after it items[]. Quote a name with dots: meta["a.b"]',
  });
}

function createTooDeepError(): SvcError {
  return new SvcError('usage', `The payload is nested more than ${MAX_JSON_DEPTH} levels deep.`);
}

/**
 * `override` replaces an existing value. `add` adds a value where none exists, and creates its parents. `value` is JSON text.
 */
export type JsonEdit =
  | { readonly kind: 'override' | 'add'; readonly path: string; readonly value: string }
  | { readonly kind: 'remove'; readonly path: string };

type NameOfKind = (kind: JsonEdit['kind']) => string;

/** `path=value`. The first `=` outside brackets ends the path. */
const ASSIGNMENT = /^((?:\[(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\]]*)\]|[^=[])+)=(.*)$/s;
/** The start of JSON that is not a bare word; `{{` starts a template of a fixture. */
const JSON_START = /^(?:["[]|\{(?!\{))/;

/** Whether `text` has the form `path=value`. */
export function isAssignment(text: string): boolean {
  return ASSIGNMENT.test(text);
}

/**
 * Reads `path=value`. A value that is JSON keeps its type and text (`12.50`, `true`, `null`, `{"a":1}`, `"12"`); any
 * other value is a string.
 * @throws SvcError `usage` when there is no path or no `=`, for a value that is nested too deeply, and for one that starts like
 *   JSON but is invalid: the shell has probably removed its quotes.
 */
export function parseAssignment(text: string): { path: string; value: string } {
  const [, path, value] = ASSIGNMENT.exec(text) ?? [];
  if (path === undefined || value === undefined) {
    throw new SvcError('usage', `${JSON.stringify(text)} does not have the form path=value.`);
  }
  if (isJson(value)) {
    if (isNestedTooDeeply(JSON.parse(value))) throw createTooDeepError();
    return { path, value };
  }
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
 * @param nameOf returns how users write a kind of edit, for hints (default: its name)
 * @throws SvcError `usage` that names the path that is invalid, does not exist, or already exists.
 */
export function applyJsonEdits(
  text: string,
  edits: readonly JsonEdit[],
  nameOf: NameOfKind = (kind) => kind,
): string {
  return compactJson(edits.reduce((edited, edit) => applyEdit(edited, edit, nameOf), text));
}

function applyEdit(text: string, edit: JsonEdit, nameOf: NameOfKind): string {
  const steps = parsePath(edit.path);
  const root = parseTree(text) as Node;
  const path = toLocation(root, steps);
  const node = findNodeAtLocation(root, path);
  if (edit.kind === 'add' && node) {
    throw new SvcError('usage', `${edit.path} already exists.`, {
      hint: `Change it with ${nameOf('override')}.`,
    });
  }
  if (edit.kind !== 'add' && !node) throw createMissingPathError(text, steps, edit, nameOf);
  if (edit.kind === 'remove') return remove(text, node as Node);
  if (node) return replaceAt(text, path, edit.value);
  const obstacle = findObstacle(root, path);
  if (obstacle !== null) {
    throw new SvcError('usage', `Nothing can be added at ${edit.path}: ${obstacle}.`);
  }
  // The library would write the value's numbers and escapes in its own way, so it only makes the place for it.
  return replaceAt(applyEdits(text, modify(text, path, null, { isArrayInsertion: true })), path, edit.value);
}

/** Not `modify`, which leaves a part of the last item of an array without line breaks. */
function remove(text: string, node: Node): string {
  const entry = node.parent?.type === 'property' ? node.parent : node;
  const siblings = entry.parent?.children ?? [];
  const index = siblings.indexOf(entry);
  const next = siblings[index + 1];
  const previous = siblings[index - 1];
  const start = next || !previous ? entry.offset : previous.offset + previous.length;
  const end = next ? next.offset : entry.offset + entry.length;
  return text.slice(0, start) + text.slice(end);
}

/** @param path of a value that exists */
function replaceAt(text: string, path: JSONPath, value: string): string {
  const { offset, length } = findNodeAtLocation(parseTree(text) as Node, path) as Node;
  return applyEdits(text, [{ offset, length, content: value }]);
}

/** Why no value can be added at a path that does not exist; null if one can. */
function findObstacle(root: Node, path: JSONPath): string | null {
  const missing = path.findIndex((_, index) => !findNodeAtLocation(root, path.slice(0, index + 1)));
  const parent = findNodeAtLocation(root, path.slice(0, missing));
  const step = path[missing];
  if (parent?.type === 'array') {
    const { length } = parent.children ?? [];
    if (step !== length) return describeNextIndex(length);
  } else if (parent?.type !== 'object') return 'its parent is not an object';
  else if (typeof step === 'number') return 'its parent is an object, not an array';
  // New arrays are empty.
  const isGap = path.slice(missing + 1).some((next) => typeof next === 'number' && next !== 0);
  return isGap ? describeNextIndex(0) : null;
}

function describeNextIndex(length: number): string {
  return `the array has ${formatCount(length, 'item')}, so the next index is [${length}]`;
}

function createMissingPathError(
  text: string,
  steps: readonly PathStep[],
  { path, kind }: JsonEdit,
  nameOf: NameOfKind,
): SvcError {
  const hint = suggestMatch(path, listJsonPaths(text).map(formatPath)) ?? suggestPath(text, steps);
  return new SvcError('usage', `${path} does not exist.`, {
    hint: kind === 'override' ? `${hint} Add a new value with ${nameOf('add')}.` : hint,
  });
}

/** Suggests how to continue the part of a path that exists. */
function suggestPath(text: string, steps: readonly PathStep[]): string {
  const root = parseTree(text) as Node;
  const path = toLocation(root, steps);
  const missing = path.findIndex((_, index) => !findNodeAtLocation(root, path.slice(0, index + 1)));
  const parent = findNodeAtLocation(root, path.slice(0, missing)) ?? root;
  const name = missing === 0 ? 'the payload' : formatPath(steps.slice(0, missing));
  const { children } = parent;
  if (children === undefined) {
    return `End the path at ${name}, which is ${text.slice(parent.offset, parent.offset + parent.length)}.`;
  }
  if (children.length === 0) return `Choose another path, because ${name} is empty.`;
  if (parent.type === 'array')
    return `Use an index of ${name}, which has ${formatCount(children.length, 'item')}.`;
  return `Use one of the fields of ${name}: ${listEntries(parent)
    .map(([key]) => key)
    .join(', ')}.`;
}
