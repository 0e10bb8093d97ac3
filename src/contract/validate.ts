/** Validates values against schemas. Messages contain the path of the field. */
import * as v from 'valibot';
import { formatFieldPath } from '../domain/json.ts';
import { type ErrorCode, SvcError } from '../errors.ts';
import { isInputInQuery, type Operation, type ValidatedInput } from './operation.ts';

/** Maximum length of a name or a type from the input in a message, in characters. */
const MAX_SHOWN_LENGTH = 64;

/**
 * Validates the input of an operation.
 * @throws SvcError for the first problem: `invalid_request` for a query, `validation_failed` for a body (gap `error.codes`).
 */
export function validateInput<O extends Operation>(
  { input: schema, method }: O,
  input: Record<string, unknown>,
): ValidatedInput<O> {
  return validate(schema, input, isInputInQuery(method) ? 'invalid_request' : 'validation_failed');
}

/**
 * Validates `value`, and returns it with defaults.
 * @throws SvcError with `code`, for the first problem.
 */
export function validate<Schema extends v.GenericSchema>(
  schema: Schema,
  value: Record<string, unknown>,
  code: ErrorCode,
): v.InferOutput<Schema> {
  assertKnownFields(schema, value, code);
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  throw new SvcError(code, toMessage(result.issues[0]));
}

// Before other problems: if a name is misspelled, the error names it instead of the missing field.
function assertKnownFields(schema: v.GenericSchema, value: Record<string, unknown>, code: ErrorCode): void {
  const { entries } = schema as { entries?: Record<string, unknown> };
  if (entries === undefined) return;
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(entries, name)) throw new SvcError(code, `${truncate(name)} is not a known field.`);
  }
}

/** A problem of a value. The path is empty for the value itself. */
export interface Problem {
  readonly path: string;
  /** `must be a string, not 7`, without a period. */
  readonly problem: string;
}

/** All problems of `value`; empty if it is valid. */
export function listProblems(schema: v.GenericSchema, value: unknown): Problem[] {
  const { issues = [] } = v.safeParse(schema, value);
  return issues.map(toProblem);
}

/** The first problem of `value`; null if it is valid. */
export function findProblem(schema: v.GenericSchema, value: unknown): Problem | null {
  const { issues } = v.safeParse(schema, value, { abortEarly: true });
  return issues === undefined ? null : toProblem(issues[0]);
}

function toMessage(issue: v.BaseIssue<unknown>): string {
  const { path, problem } = toProblem(issue);
  return `${path || 'The body'} ${problem}.`;
}

/** The problem that valibot reports as `issue`. Replaces the messages of valibot itself, which do not start with "must". */
export function toProblem(issue: v.BaseIssue<unknown>): Problem {
  const path = toPath(issue);
  if (issue.received === 'undefined') return { path, problem: 'is required' };
  // A field that a strict object does not have.
  if (issue.expected === 'never') return { path, problem: 'is not a known field' };
  if (issue.kind === 'schema' && issue.expected !== null && !issue.message.startsWith('must')) {
    const expected = toPlainType(issue.expected);
    const received = truncate(toPlainType(issue.received));
    return { path, problem: `must be ${expected}, not ${received}` };
  }
  return { path, problem: issue.message };
}

/** `events[2]`, `payload.items` */
function toPath(issue: v.BaseIssue<unknown>): string {
  return formatFieldPath((issue.path ?? []).map(({ key }) => key));
}

/** The types of valibot's issues, for people. */
const PLAIN_TYPES: Record<string, string> = {
  Array: 'an array',
  Object: 'an object',
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  null: 'null',
};

function toPlainType(type: string): string {
  // A picklist: ("relaxed" | "strict").
  if (type.startsWith('(')) return `one of ${type.slice(1, -1).replaceAll(' | ', ', ')}`;
  return PLAIN_TYPES[type] ?? type;
}

function truncate(text: string): string {
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}
