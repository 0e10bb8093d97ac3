/** The form in which an HTTP operation is written down once, for the server, the client and the OpenAPI document. */
import * as v from 'valibot';
import type { Scope } from '../domain/environment.ts';
import type { ErrorCode } from '../errors.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * One operation. `input` is one flat object: members named in the path's `{placeholders}` travel there, the others in
 * the query (GET, DELETE) or in the JSON body (POST, PATCH).
 */
export interface Operation<
  Input extends v.GenericSchema = v.GenericSchema,
  Output extends v.GenericSchema = v.GenericSchema,
> {
  readonly method: Method;
  readonly path: string;
  readonly input: Input;
  readonly output: Output;
  readonly status: 200 | 201 | 202;
  /** Scope that a key needs (§5); absent on the control plane, which knows no keys. */
  readonly scope?: Scope;
  /** Errors particular to it, beside those that every operation can answer with. */
  readonly errors?: readonly ErrorCode[];
}

/** Keeps the exact types of a table of operations while checking each entry. */
export function defineOperations<Table extends Record<string, Operation>>(table: Table): Table {
  return table;
}

export type OperationInput<O extends Operation> = v.InferInput<O['input']>;
/** The input after validation: defaults filled in, text read as numbers. */
export type ValidatedInput<O extends Operation> = v.InferOutput<O['input']>;
export type OperationOutput<O extends Operation> = v.InferOutput<O['output']>;

const PLACEHOLDER = /\{(\w+)\}/g;

/** Names of the `{placeholders}` of a path. */
export function pathParameters(path: string): string[] {
  return Array.from(path.matchAll(PLACEHOLDER), (match) => match[1] ?? '');
}

/** The path with each `{placeholder}` replaced. */
export function expandPath(path: string, replace: (name: string) => string): string {
  return path.replace(PLACEHOLDER, (_, name: string) => replace(name));
}

/** Whether members that are not in the path travel in the query; otherwise they are the JSON body. */
export function isInputInQuery(method: Method): boolean {
  return method === 'GET' || method === 'DELETE';
}

/** A whole number, which a query brings as text. */
export const WholeNumber = v.union(
  [v.pipe(v.number(), v.integer()), v.pipe(v.string(), v.regex(/^-?\d{1,15}$/), v.transform(Number))],
  'must be a whole number',
);

/** A whole number from `min` to `max`, in a query or a body. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER) {
  const message =
    max === Number.MAX_SAFE_INTEGER ? `must be ${min} or more` : `must be from ${min} to ${max}`;
  return v.pipe(WholeNumber, v.minValue(min, message), v.maxValue(max, message));
}
