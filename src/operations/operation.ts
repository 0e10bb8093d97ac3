/** The type of the tables of HTTP operations, which the server, the client and the OpenAPI documents share. */
import type * as v from 'valibot';
import type { Scope } from '../domain/credentials.ts';
import { validate } from '../resources/validate.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * One operation. `input` is one flat object. Fields with the name of a `{placeholder}` are in the path, the others in the query
 * (GET, DELETE) or in the JSON body (POST, PATCH).
 */
export interface Operation<
  Input extends v.GenericSchema = v.GenericSchema,
  Output extends v.GenericSchema = v.GenericSchema,
> {
  readonly method: Method;
  readonly path: string;
  readonly input: Input;
  readonly output: Output;
  /** Imperative phrase without a period. */
  readonly summary: string;
  readonly description: string;
  /** Status of a response without an error. Default: 200. */
  readonly status?: 200 | 201 | 202;
  /** Scope that the API key needs (§5). Missing on the control plane, which uses no API keys. */
  readonly scope?: Scope;
}

/** Defines one operation, and keeps the types of its input and output. */
export function defineOperation<Fields extends Omit<Operation, 'method' | 'path'>>(
  method: Method,
  path: string,
  fields: Fields,
): { method: Method; path: string } & Fields {
  return { method, path, ...fields };
}

export type OperationInput<O extends Operation> = v.InferInput<O['input']>;
/** The input after validation, with defaults and with text converted to numbers. */
export type ValidatedInput<O extends Operation> = v.InferOutput<O['input']>;
export type OperationOutput<O extends Operation> = v.InferOutput<O['output']>;

const PLACEHOLDER = /\{(\w+)\}/g;

/** The names of the placeholders of a path: `id` for `/events/{id}`. */
export function pathParameters(path: string): string[] {
  return Array.from(path.matchAll(PLACEHOLDER), (match) => match[1] ?? '');
}

/** The path with each `{placeholder}` replaced. */
export function expandPath(path: string, replace: (name: string) => string): string {
  return path.replace(PLACEHOLDER, (_, name: string) => replace(name));
}

/** The URL with the fields of `query` that are not undefined. */
export function withQuery(address: string, query: Readonly<Record<string, unknown>>): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

/** Whether fields that are not in the path are in the query. Otherwise they are in the JSON body. */
export function isInputInQuery(method: Method): boolean {
  return method === 'GET' || method === 'DELETE';
}

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
