/** Paths into JSON text, such as `items[0].price`, `items[-1]`, `items[]`, `meta["a.b"]`: parses, formats, reads and edits. */
import { SvcError } from '../errors.ts';
import { isJson, isNestedTooDeeply, MAX_JSON_DEPTH } from './json.ts';
import { type JsonTree, parseJsonTree, serializeJsonTree } from './json-tree.ts';
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

/** The value at a path; undefined if it does not exist. */
export function getAtPath(tree: JsonTree, steps: readonly PathStep[]): JsonTree | undefined {
  let node: JsonTree | undefined = tree;
  for (const step of steps) {
    if (node === undefined) return undefined;
    node = getChild(node, step);
  }
  return node;
}

function getChild(node: JsonTree, step: PathStep): JsonTree | undefined {
  if (Array.isArray(node)) return typeof step === 'number' ? node.at(step) : undefined;
  return node instanceof Map && typeof step === 'string' ? node.get(step) : undefined;
}

/** Every path that exists in the tree. */
export function* listJsonPaths(tree: JsonTree, parent: readonly PathStep[] = []): Generator<PathStep[]> {
  if (typeof tree === 'string') return;
  for (const [step, child] of tree.entries()) {
    const path = [...parent, step];
    yield path;
    yield* listJsonPaths(child, path);
  }
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
  const root = parseJsonTree(text);
  for (const edit of edits) applyEdit(root, edit, nameOf);
  return serializeJsonTree(root);
}

function applyEdit(root: JsonTree, edit: JsonEdit, nameOf: NameOfKind): void {
  const steps = parsePath(edit.path);
  let node = root;
  steps.forEach((step, index) => {
    const next = steps[index + 1];
    const child = getChild(node, step);
    if (child === undefined && edit.kind !== 'add') throw createMissingPathError(root, steps, edit, nameOf);
    if (next === undefined) applyToChild(node, step, edit, nameOf);
    else node = child ?? setChild(node, step, createParent(next), edit);
  });
}

function applyToChild(node: JsonTree, step: PathStep, edit: JsonEdit, nameOf: NameOfKind): void {
  if (edit.kind === 'add' && getChild(node, step) !== undefined) {
    throw new SvcError('usage', `${edit.path} already exists.`, {
      hint: `Change it with ${nameOf('override')}.`,
    });
  }
  if (edit.kind === 'remove') removeChild(node, step);
  else setChild(node, step, parseJsonTree(edit.value), edit);
}

function setChild(node: JsonTree, step: PathStep, value: JsonTree, { path }: JsonEdit): JsonTree {
  const index = Array.isArray(node) ? toIndex(node, step) : null;
  if (Array.isArray(node) && index !== null && index >= 0 && index <= node.length) node[index] = value;
  else if (node instanceof Map && typeof step === 'string') node.set(step, value);
  else throw new SvcError('usage', `Nothing can be added at ${path}: ${describeObstacle(node)}.`);
  return value;
}

function removeChild(node: JsonTree, step: PathStep): void {
  if (Array.isArray(node)) node.splice(Number(step), 1);
  else if (node instanceof Map) node.delete(String(step));
}

function toIndex(array: readonly JsonTree[], step: PathStep): number | null {
  if (typeof step === 'string') return null;
  if (step === null) return array.length;
  return step < 0 ? array.length + step : step;
}

function createMissingPathError(
  root: JsonTree,
  steps: readonly PathStep[],
  { path, kind }: JsonEdit,
  nameOf: NameOfKind,
): SvcError {
  const hint = suggestMatch(path, Array.from(listJsonPaths(root), formatPath)) ?? suggestPath(root, steps);
  return new SvcError('usage', `${path} does not exist.`, {
    hint: kind === 'override' ? `${hint} Add a new value with ${nameOf('add')}.` : hint,
  });
}

/** Suggests how to continue the part of a path that exists. */
function suggestPath(root: JsonTree, steps: readonly PathStep[]): string {
  const missing = steps.findIndex((_, index) => getAtPath(root, steps.slice(0, index + 1)) === undefined);
  const parentSteps = steps.slice(0, missing);
  const parent = getAtPath(root, parentSteps) ?? root;
  const name = parentSteps.length === 0 ? 'the payload' : formatPath(parentSteps);
  if (typeof parent === 'string') return `End the path at ${name}, which is ${parent}.`;
  const keys = [...parent.keys()];
  if (keys.length === 0) return `Choose another path, because ${name} is empty.`;
  if (Array.isArray(parent)) return `Use an index of ${name}, which has ${formatCount(keys.length, 'item')}.`;
  return `Use one of the fields of ${name}: ${keys.join(', ')}.`;
}

function describeObstacle(node: JsonTree): string {
  if (Array.isArray(node))
    return `the array has ${formatCount(node.length, 'item')}, so the next index is [${node.length}]`;
  return node instanceof Map ? 'its parent is an object, not an array' : 'its parent is not an object';
}

/** An empty object or array in which the step can be added. */
function createParent(step: PathStep): JsonTree {
  return typeof step === 'string' ? new Map() : [];
}
