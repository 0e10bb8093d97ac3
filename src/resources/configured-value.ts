/** Validates values that a person configured, with errors that say where the value is and what is accepted there. */
import { inspect } from 'node:util';
import * as v from 'valibot';
import { type Hint, SvcError } from '../domain/errors.ts';
import { formatFieldPath } from '../domain/json.ts';
import { suggestMatch } from '../domain/message-parts.ts';
import { parse } from './validate.ts';

/** Where a value was set, for the error that it can cause. */
export interface ValueLocation {
  /** Such as `overrides["retry.schedule"][2]`, `--port` or `SVC_PORT`. */
  readonly path: string;
  /** Name of the file that has the value, if it is in a file. */
  readonly file?: string;
  /** Whether messages must not show the value. */
  readonly isSecret?: boolean | undefined;
  /** What the user can do if the value is rejected. @param expected what is accepted */
  toHint(expected: string): Hint | string;
}

/**
 * Returns the value as the schema transforms it.
 * @throws SvcError `validation_failed` that names the location, what was expected and what was found
 */
export function parseConfigured<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  location: ValueLocation,
): v.InferOutput<Schema> {
  return parse(schema, value, ({ keys, value: part, problem, expected, isUnknownField, choices }) => {
    const at = (path: readonly unknown[]) => ({
      ...location,
      path: formatFieldPath([location.path, ...path]),
    });
    if (isUnknownField)
      return unknownFieldError(String(keys.at(-1)), choices, describePath(at(keys.slice(0, -1))));
    if (expected !== null) return invalidValueError(part, expected, at(keys));
    return new SvcError('validation_failed', `${describePath(at(keys))} ${problem}.`);
  });
}

/** Converts the text of a variable or an option to a value for the schema. Returns invalid text unchanged, so that the error shows it. */
export function fromText(schema: v.GenericSchema, text: string): unknown {
  const { type, wrapped } = schema as v.GenericSchema & { readonly wrapped?: v.GenericSchema };
  if (wrapped !== undefined) return fromText(wrapped, text);
  if (type === 'array') return text.split(',').map((item) => item.trim());
  if (type === 'boolean') return BOOLEANS[text] ?? text;
  // `Number` also accepts 1e3, 0x10 and white space.
  const isNumber = type === 'number' && /^-?\d*\.?\d+$/.test(text) && v.is(schema, Number(text));
  return isNumber ? Number(text) : text;
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

/** Converts `randomSeed` to `random_seed`, as fields are named in configuration. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The error for an unknown field. @param hint if no similar name exists */
export function unknownFieldError(
  name: string,
  validNames: readonly string[],
  path: string,
  hint = `Use one of: ${validNames.join(', ')}`,
): SvcError {
  return new SvcError('validation_failed', `${path} has no field ${JSON.stringify(name)}.`, {
    hint: suggestMatch(name, validNames, (field) => JSON.stringify(field)) ?? hint,
  });
}

const MAX_SHOWN_LENGTH = 80;

/** The error for an invalid value, or for a missing one (undefined). */
export function invalidValueError(value: unknown, expected: string, valueLocation: ValueLocation): SvcError {
  const problem = value === undefined ? 'Missing value' : 'Invalid value';
  const shown = value === undefined || valueLocation.isSecret ? '' : `: ${show(value, valueLocation)}`;
  const message = `${problem} for ${describePath(valueLocation)}${shown}`;
  return new SvcError('validation_failed', message, { hint: valueLocation.toHint(expected) });
}

/** `port in svc.config.json` */
export function describePath({ path, file }: ValueLocation): string {
  return file === undefined ? path : `${path} in ${file}`;
}

function show(value: unknown, { file }: ValueLocation): string {
  // A configuration module can also export values that JSON does not have.
  const isJson = typeof value === 'string' || file?.endsWith('.json');
  const text = isJson ? JSON.stringify(value) : inspect(value, { compact: true, breakLength: Infinity });
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}
