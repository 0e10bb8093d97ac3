/** Validates values against schemas of Valibot. Only this file converts the issues of Valibot to messages. */
import * as v from 'valibot';
import { type ErrorCode, SvcError } from '../domain/errors.ts';
import { formatFieldPath } from '../domain/json.ts';

/** A sentence about a value or a part of it. */
export interface Problem {
  /** `events[2]`, `payload.items`; empty for the value itself. */
  readonly path: string;
  /** `must be a string, not 7`, without a period. */
  readonly problem: string;
}

/** What a schema rejects, for messages in other words. */
export interface ValueProblem extends Problem {
  /** The keys of {@link path}. */
  readonly keys: readonly unknown[];
  /** What is at the path; undefined if it is missing. */
  readonly value: unknown;
  /** What is accepted there, which completes "must be" and "Pass"; null if the schema has its own message. */
  readonly expected: string | null;
  /** Whether the path names a field that the object does not have. */
  readonly isUnknownField: boolean;
  /** The words that are accepted, or the names of the fields. */
  readonly choices: readonly string[];
}

/**
 * Validates `value`, and returns it with defaults.
 * @throws SvcError with `code`, for the first problem.
 */
export function validate<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  code: ErrorCode,
): v.InferOutput<Schema> {
  return parse(
    schema,
    value,
    ({ path, problem }) =>
      new SvcError(code, `${path || 'The body'} ${problem}.`, { field: path || undefined }),
  );
}

/**
 * Returns `value` with defaults and transformations.
 * @param toError converts the first problem to the error to throw; a misspelled name comes before a missing field
 */
export function parse<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  toError: (problem: ValueProblem) => Error,
): v.InferOutput<Schema> {
  const shapeProblem = findShapeProblem(toNode(schema), value);
  if (shapeProblem !== null) throw toError(shapeProblem);
  const { issues, output } = v.safeParse(schema, value, FIRST_ISSUE);
  if (issues === undefined) return output;
  throw toError(toProblem(schema, value, issues[0]));
}

/** All problems of `value`; empty if it is valid. */
export function listProblems(schema: v.GenericSchema, value: unknown): ValueProblem[] {
  const { issues = [] } = v.safeParse(schema, value, CONFIG);
  return issues.map((issue) => toProblem(schema, value, issue));
}

/** Replaces the messages of Valibot itself, so that an issue has a message only if its schema has one. */
const CONFIG = { message: '' };
const FIRST_ISSUE = { ...CONFIG, abortEarly: true };

type Path = readonly unknown[];

/** The properties of a schema that lead to its parts and say what it accepts. A pipe has the properties of its first item. */
interface SchemaNode {
  readonly type: string;
  readonly expects: string | null;
  /** Of the fields of an object. */
  readonly entries?: Readonly<Record<string, SchemaNode>>;
  /** Of the items of an array. */
  readonly item?: SchemaNode;
  /** Of the fields of a record. */
  readonly value?: SchemaNode;
  /** Of the value of an `optional` schema. */
  readonly wrapped?: SchemaNode;
  /** Returns the schema that a `lazy` schema selects for a value. */
  readonly getter?: (input: unknown) => SchemaNode;
  /** The words of a picklist, or the schemas of a union or a variant. */
  readonly options?: readonly unknown[];
  /** The field whose value selects the schema of a variant. */
  readonly key?: string;
  readonly literal?: unknown;
  readonly pipe?: readonly SchemaNode[];
  /** Of an action in a pipe. */
  readonly requirement?: unknown;
}

function toNode(schema: v.GenericSchema): SchemaNode {
  return schema as unknown as SchemaNode;
}

function toProblem(schema: v.GenericSchema, root: unknown, issue: v.BaseIssue<unknown>): ValueProblem {
  const path = issue.path ?? [];
  let node: SchemaNode | undefined = unwrap(toNode(schema), root);
  let object: SchemaNode | undefined;
  for (const { key, value } of path) {
    object = node;
    const part: SchemaNode | undefined = node && getPart(node, key);
    node = part && unwrap(part, value);
  }
  const keys = path.map(({ key }) => key);
  const value = path.length === 0 ? root : path.at(-1)?.value;
  if (issue.expected === 'never') return createUnknownField(keys, value, object);
  // A check in code says what it expects. Everything else follows from the schema.
  const isCode = node === undefined || issue.type.startsWith('raw_');
  const checked = isCode ? { ...issue, expects: issue.expected } : node;
  const problem = createProblem(keys, value, checked, issue.message, issue.input);
  return issue.input === undefined ? { ...problem, problem: 'is required' } : problem;
}

/**
 * @param message that of the schema, if it has one
 * @param input the value after the transformations before the check
 */
function createProblem(
  keys: Path,
  value: unknown,
  node: SchemaNode | undefined,
  message = '',
  input = value,
): ValueProblem {
  const expected = message === '' && node !== undefined ? describeNode(node) : null;
  return {
    path: formatFieldPath(keys),
    problem: expected === null ? message : `must be ${expected}, not ${describeValue(input)}`,
    keys,
    value,
    expected,
    isUnknownField: false,
    choices: node?.type === 'picklist' ? (node.options ?? []).map(String) : [],
  };
}

/** @param object the schema of the object that has the field */
function createUnknownField(keys: Path, value: unknown, object: SchemaNode | undefined): ValueProblem {
  return {
    ...createProblem(keys.map(truncate), value, undefined, 'is not a known field'),
    keys,
    isUnknownField: true,
    choices: Object.keys(object?.entries ?? {}),
  };
}

/** The schema that applies to a value, without `optional`, `lazy` and `variant` around it. */
function unwrap(node: SchemaNode, value: unknown): SchemaNode {
  const inner = node.getter?.(value) ?? node.wrapped ?? findVariant(node, value);
  return inner === undefined ? node : unwrap(inner, value);
}

function findVariant({ type, key = '', options = [] }: SchemaNode, value: unknown): SchemaNode | undefined {
  if (type !== 'variant') return undefined;
  return (options as SchemaNode[]).find(({ entries }) => entries?.[key]?.literal === Object(value)[key]);
}

function getPart({ entries = {}, item, value }: SchemaNode, key: unknown): SchemaNode | undefined {
  return item ?? value ?? (Object.hasOwn(entries, String(key)) ? entries[String(key)] : undefined);
}

/** The first unknown field at any depth, or an array instead of an object, which Valibot would treat as one. */
function findShapeProblem(outer: SchemaNode, value: unknown, keys: Path = []): ValueProblem | null {
  if (typeof value !== 'object' || value === null) return null;
  const node = unwrap(outer, value);
  const { type, entries, item } = node;
  if (entries !== undefined && Array.isArray(value)) return createProblem(keys, value, node);
  if (entries === undefined && item === undefined) return null;
  for (const [name, field] of Object.entries(value)) {
    const path = [...keys, Array.isArray(value) ? Number(name) : name];
    const part = getPart(node, name);
    if (part === undefined && type === 'strict_object') return createUnknownField(path, field, node);
    const problem = part && findShapeProblem(part, field, path);
    if (problem) return problem;
  }
  return null;
}

/** The types of Valibot, for people. */
const PLAIN_TYPES: Readonly<Record<string, string>> = {
  Array: 'an array',
  Object: 'an object',
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

/** What a schema accepts; completes "must be". Ranges are those of its pipe. */
export function describeSchema(schema: v.GenericSchema): string {
  return describeNode(toNode(schema));
}

function describeNode(node: SchemaNode): string {
  const { type, expects, options = [] } = node;
  if (type === 'picklist') return `one of ${options.map((option) => JSON.stringify(option)).join(', ')}`;
  if (expects?.startsWith('(')) return (options as SchemaNode[]).map(describeNode).join(' or ');
  const isInteger = expects === 'number' && listActions(node).some((action) => action.type === 'integer');
  const plainType = PLAIN_TYPES[isInteger ? 'integer' : String(expects)];
  return plainType === undefined ? String(expects) : `${plainType}${describeLimits(node, String)}`;
}

/** ` from 1 to 9`, `, 1 or more`, or nothing, from the limits in the schema of a number. */
export function describeRange(schema: v.GenericSchema, format: (limit: number) => string): string {
  return describeLimits(unwrap(toNode(schema), undefined), format);
}

function describeLimits(node: SchemaNode, format: (limit: number) => string): string {
  const actions = listActions(node);
  const [min, max = Number.MAX_SAFE_INTEGER] = ['min_value', 'max_value'].map(
    (type) => actions.find((action) => action.type === type)?.requirement as number | undefined,
  );
  if (min === undefined) return '';
  return max === Number.MAX_SAFE_INTEGER
    ? `, ${format(min)} or more`
    : ` from ${format(min)} to ${format(max)}`;
}

/** The actions of a pipe, and of the pipes in it. */
function listActions({ pipe = [] }: SchemaNode): SchemaNode[] {
  return pipe.flatMap((item) => (item.pipe === undefined ? item : listActions(item)));
}

/** Maximum length of a value or a name from the input in a message, in characters. */
const MAX_SHOWN_LENGTH = 64;

function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof Date) return 'a Date';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'function') return 'a function';
  return truncate(typeof value === 'string' ? JSON.stringify(value) : String(value));
}

function truncate<Text>(text: Text): Text | string {
  return typeof text === 'string' && text.length > MAX_SHOWN_LENGTH
    ? `${text.slice(0, MAX_SHOWN_LENGTH)}…`
    : text;
}
