/** Edits JSON text at a path, `items[0].price=12.50`. Everything else keeps its text, numbers included. */
import { SvcError } from '../errors.ts';
import { closestMatch } from './closest-match.ts';
import { isJson, type JsonTree, parseJsonTree, printJsonTree } from './json.ts';
import { formatPath, getAtPath, getChild, listJsonPaths, type PathStep, parsePath } from './json-path.ts';

/** `override` needs a value at the path; `add` needs none and creates its parents. `value` is JSON text. */
export type JsonEdit =
  | { readonly kind: 'override' | 'add'; readonly path: string; readonly value: string }
  | { readonly kind: 'remove'; readonly path: string };

const ASSIGNMENT = /^((?:\[(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\]]*)\]|[^=[])+)=(.*)$/s;
/** The start of JSON that is not a bare word; `{{` starts a template of a fixture. */
const LIKE_JSON = /^(?:["[]|\{(?!\{))/;

/**
 * Reads `path=value`. A value that is JSON keeps its type and text (`12.50`, `true`, `null`, `{"a":1}`, `"12"`); any
 * other value is a string.
 * @throws SvcError `usage` when there is no path or no `=`, and for a value that starts like JSON but is invalid: the
 *   shell has probably removed its quotes.
 */
export function parseAssignment(text: string): { path: string; value: string } {
  const [, path, value] = ASSIGNMENT.exec(text) ?? [];
  if (path === undefined || value === undefined) {
    throw new SvcError('usage', `${JSON.stringify(text)} is not of the form path=value.`);
  }
  if (isJson(value)) return { path, value };
  if (LIKE_JSON.test(value)) {
    throw new SvcError('usage', `The value of ${path} starts like JSON but is not valid JSON: ${value}`, {
      hint: `Put it in single quotes for the shell. To pass a string, write ${JSON.stringify(value)}.`,
    });
  }
  return { path, value: JSON.stringify(value) };
}

/**
 * Applies `changes`, in order, to a JSON object that `parseJsonObject` accepts. The result has no whitespace between
 * its tokens.
 * @throws SvcError `usage` that names the path that is invalid, does not exist, or already exists.
 */
export function applyJsonEdits(text: string, changes: readonly JsonEdit[]): string {
  const root = parseJsonTree(text);
  for (const change of changes) makeChange(root, change);
  return printJsonTree(root);
}

function makeChange(root: JsonTree, change: JsonEdit): void {
  const steps = parsePath(change.path);
  let node = root;
  steps.forEach((step, index) => {
    const next = steps[index + 1];
    const child = getChild(node, step);
    if (child === undefined && change.kind !== 'add') throw nothingAt(root, steps, change);
    if (next === undefined) applyAt(node, step, change);
    else node = child ?? put(node, step, emptyFor(next), change);
  });
}

function applyAt(node: JsonTree, step: PathStep, change: JsonEdit): void {
  const exists = getChild(node, step) !== undefined;
  if (change.kind === 'add' && exists) {
    throw new SvcError('usage', `${change.path} already exists.`, {
      hint: 'Change it with --override.',
    });
  }
  if (change.kind === 'remove') drop(node, step);
  else put(node, step, parseJsonTree(change.value), change);
}

function put(node: JsonTree, step: PathStep, value: JsonTree, { path }: JsonEdit): JsonTree {
  const index = Array.isArray(node) ? toIndex(node, step) : null;
  if (Array.isArray(node) && index !== null && index >= 0 && index <= node.length) node[index] = value;
  else if (node instanceof Map && typeof step === 'string') node.set(step, value);
  else throw new SvcError('usage', `Nothing can be added at ${path}: ${obstacle(node)}.`);
  return value;
}

function drop(node: JsonTree, step: PathStep): void {
  if (Array.isArray(node)) node.splice(Number(step), 1);
  else if (node instanceof Map) node.delete(String(step));
}

function toIndex(list: readonly JsonTree[], step: PathStep): number | null {
  if (typeof step === 'string') return null;
  if (step === null) return list.length;
  return step < 0 ? list.length + step : step;
}

function nothingAt(root: JsonTree, steps: readonly PathStep[], { path, kind }: JsonEdit): SvcError {
  const nearest = closestMatch(path, Array.from(listJsonPaths(root), formatPath));
  const hint = [nearest === null ? listSiblings(root, steps) : `Did you mean ${nearest}?`];
  if (kind === 'override') hint.push('To add a new value, use --add.');
  return new SvcError('usage', `${path} does not exist.`, { hint: hint.join(' ') });
}

/** Describes the last value on the path that exists. */
function listSiblings(root: JsonTree, steps: readonly PathStep[]): string {
  const missing = steps.findIndex((_, index) => getAtPath(root, steps.slice(0, index + 1)) === undefined);
  const before = steps.slice(0, missing);
  const node = getAtPath(root, before) ?? root;
  const place = before.length === 0 ? 'The payload' : formatPath(before);
  if (typeof node === 'string') return `${place} is ${node}.`;
  if (Array.isArray(node))
    return `${place} is a list with ${node.length} ${node.length === 1 ? 'item' : 'items'}.`;
  return node.size === 0 ? `${place} is empty.` : `${place} has ${[...node.keys()].join(', ')}.`;
}

function obstacle(node: JsonTree): string {
  if (Array.isArray(node))
    return `the list has ${node.length} ${node.length === 1 ? 'item' : 'items'}, so the next index is [${node.length}]`;
  return node instanceof Map ? 'its parent is an object, not a list' : 'its parent is not an object';
}

function emptyFor(step: PathStep): JsonTree {
  return typeof step === 'string' ? new Map() : [];
}
