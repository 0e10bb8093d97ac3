/** Changes at a path in JSON text, `items[0].price=12.50`. Everything else keeps its text, numbers included. */
import { SvcError } from '../errors.ts';
import { isJson } from './json.ts';
import { findNearest } from './nearest.ts';

/** `override` needs something at the path, `add` needs nothing there and makes what leads to it; `value` is JSON text. */
export type JsonChange =
  | { readonly kind: 'override' | 'add'; readonly path: string; readonly value: string }
  | { readonly kind: 'remove'; readonly path: string };

/**
 * Reads `path=value`. A value that is JSON keeps its type and text (`12.50`, `true`, `null`, `{"a":1}`, `"12"`); any
 * other is a string.
 * @throws SvcError `usage` when there is no path or no `=`.
 */
export function parseAssignment(text: string): { path: string; value: string } {
  const equals = text.indexOf('=');
  if (equals < 1) throw new SvcError('usage', `Write path=value, not ${JSON.stringify(text)}.`);
  const value = text.slice(equals + 1);
  return { path: text.slice(0, equals), value: isJson(value) ? value : JSON.stringify(value) };
}

/**
 * Makes `changes`, in order, to a JSON object that `parseJsonObject` accepts. The result has no white space between
 * its tokens.
 * @throws SvcError `usage` naming the path that is malformed, missing, or taken.
 */
export function changeJson(text: string, changes: readonly JsonChange[]): string {
  const root = toTree(text);
  for (const change of changes) makeChange(root, change);
  return toText(root);
}

/** A JSON value whose scalars are still text. */
type Tree = string | Tree[] | Map<string, Tree>;
type Step = string | number;

function makeChange(root: Tree, change: JsonChange): void {
  const steps = parsePath(change.path);
  let node = root;
  steps.forEach((step, index) => {
    const next = steps[index + 1];
    const child = childOf(node, step);
    if (child === undefined && change.kind !== 'add') throw nothingAt(root, change);
    if (next === undefined) applyAt(node, step, change);
    else node = child ?? put(node, step, emptyFor(next), change);
  });
}

function applyAt(node: Tree, step: Step, change: JsonChange): void {
  const exists = childOf(node, step) !== undefined;
  if (change.kind === 'add' && exists) {
    throw new SvcError('usage', `There is something at ${change.path} already.`, {
      hint: 'Change it with --override.',
    });
  }
  if (change.kind === 'remove') drop(node, step);
  else put(node, step, toTree(change.value), change);
}

function childOf(node: Tree, step: Step): Tree | undefined {
  if (Array.isArray(node)) return typeof step === 'number' ? node[step] : undefined;
  return node instanceof Map && typeof step === 'string' ? node.get(step) : undefined;
}

function put(node: Tree, step: Step, value: Tree, { path }: JsonChange): Tree {
  if (Array.isArray(node) && typeof step === 'number' && step <= node.length) node[step] = value;
  else if (node instanceof Map && typeof step === 'string') node.set(step, value);
  else throw new SvcError('usage', `Nothing can be added at ${path}: ${obstacle(node)}.`);
  return value;
}

function drop(node: Tree, step: Step): void {
  if (Array.isArray(node)) node.splice(Number(step), 1);
  else if (node instanceof Map) node.delete(String(step));
}

function nothingAt(root: Tree, { path, kind }: JsonChange): SvcError {
  const nearest = findNearest(path, pathsIn(root, ''));
  const hint = nearest === null ? [] : [`Did you mean ${nearest}?`];
  if (kind === 'override') hint.push('A new value is added with --add.');
  return new SvcError(
    'usage',
    `There is nothing at ${path}.`,
    hint.length === 0 ? {} : { hint: hint.join(' ') },
  );
}

/** Every path at which there is something. */
function* pathsIn(tree: Tree, path: string): Generator<string> {
  if (path !== '') yield path;
  if (Array.isArray(tree)) {
    for (const [index, item] of tree.entries()) yield* pathsIn(item, `${path}[${index}]`);
  } else if (tree instanceof Map) {
    for (const [name, member] of tree) yield* pathsIn(member, path === '' ? name : `${path}.${name}`);
  }
}

function obstacle(node: Tree): string {
  if (Array.isArray(node))
    return `the list before it has ${node.length} items, so the next is [${node.length}]`;
  return node instanceof Map
    ? 'what is before it is an object, not a list'
    : 'what is before it is no object';
}

function emptyFor(step: Step): Tree {
  return typeof step === 'number' ? [] : new Map();
}

const STEP = /(?:^|(?<=.)\.)([^.[\]]+)|(?<=.)\[(\d+)\]/gy;

function parsePath(path: string): Step[] {
  const matches = [...path.matchAll(STEP)];
  const length = matches.reduce((sum, [text]) => sum + text.length, 0);
  if (length !== path.length || length === 0) {
    throw new SvcError('usage', `${JSON.stringify(path)} is not a path such as items[0].price.`);
  }
  return matches.map(([, name, index]) => name ?? Number(index));
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]|[^\s{}[\]:,"]+/g;

function toTree(text: string): Tree {
  const tokens = text.match(TOKEN)?.values() ?? [].values();
  // Commas and colons are left out: in valid JSON the order of the other tokens tells everything.
  const read = (token: string): Tree => {
    if (token === '[') return Array.from(until(']'), read);
    if (token !== '{') return token;
    return new Map(Array.from(until('}'), (key): [string, Tree] => [JSON.parse(key), read(next())]));
  };
  const next = () => tokens.next().value ?? '';
  function* until(end: string): Generator<string> {
    for (let token = next(); token !== end && token !== ''; token = next()) yield token;
  }
  return read(next());
}

function toText(tree: Tree): string {
  if (typeof tree === 'string') return tree;
  if (Array.isArray(tree)) return `[${tree.map(toText).join(',')}]`;
  return `{${Array.from(tree, ([key, value]) => `${JSON.stringify(key)}:${toText(value)}`).join(',')}}`;
}
