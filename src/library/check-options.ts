/** Checks what a call gets that is not the input of an operation, so that plain JavaScript gets the errors that TypeScript reports. */
import * as v from 'valibot';
import { parseDuration } from '../domain/duration.ts';
import { SvcError } from '../domain/errors.ts';
import { isObject } from '../domain/json.ts';
import { suggestMatch } from '../domain/message-parts.ts';
import { isSecretName } from '../domain/secret-remover.ts';
import { parse } from '../resources/validate.ts';
import { accept } from '../resources/value-schemas.ts';
import type { Duration } from './duration.ts';

/** A schema for each property of an interface, so that an option without a schema is a type error. */
export type SchemasOf<Options> = Readonly<Record<keyof Options, v.GenericSchema>>;

export const AnyObject = accept<object>('an object', isObject);
export const Scheme = accept<string>(
  'a scheme name or a scheme object',
  (value) => typeof value === 'string' || isObject(value),
);
export const DurationValue = accept<Duration>(
  'a number of milliseconds, or a string such as 90s, 5m, 1h30m or 3d',
  (value) => (typeof value === 'string' ? parseDuration(value) !== null : Number(value) >= 0),
);
export const OptionalBoolean = v.optional(v.boolean());
export const OptionalString = v.optional(v.string());

/**
 * @param call as users write it, such as `createReceiver`
 * @returns the value, with what the schema converts
 * @throws SvcError `usage` that names the first unknown or invalid option, at any depth, and the closest valid name
 */
export function checkOptions<Value>(call: string, schema: v.GenericSchema, value: Value): Value {
  const output = parse(schema, value, ({ path, problem, expected, keys, isUnknownField, choices }) => {
    const hint = isUnknownField ? suggestMatch(String(keys.at(-1)), choices) : null;
    // An invalid secret is not shown: it can be a mistyped one.
    const shown = isSecretName(path) && expected !== null ? `must be ${expected}` : problem;
    const message = `${call}: ${path || 'the argument'} ${shown}.`;
    return new SvcError('usage', hint === null ? message : `${message} ${hint}`);
  });
  return output as Value;
}
