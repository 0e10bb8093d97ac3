/** Parses and formats paths into JSON: `items[0].price`, `items[-1]`, `items[]`, `meta["a.b"]`. */
import { SvcError } from '../errors.ts';
import type { JsonTree } from './json.ts';

/** The name of a field, the index of an item (negative from the end), or null for the position after the last item. */
export type PathStep = string | number | null;

const STEP = /(?:^|(?<=.)\.)([^.[\]]+)|\[("(?:[^"\\]|\\.)*"|'[^']*')\]|(?<=.)\[(-?\d*)\]/gy;

/** @throws SvcError `usage` when `path` is invalid. */
export function parsePath(path: string): PathStep[] {
  const matches = [...path.matchAll(STEP)];
  const length = matches.reduce((sum, [text]) => sum + text.length, 0);
  if (length !== path.length || length === 0) throw createInvalidPathError(path);
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

export function getChild(node: JsonTree, step: PathStep): JsonTree | undefined {
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
