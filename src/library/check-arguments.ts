/** Checks the arguments of library calls against schemas, so that plain JavaScript gets the errors that TypeScript reports. */

import type * as v from 'valibot';
import { formatFieldPath } from '../domain/json.ts';
import { suggestMatch } from '../domain/message-parts.ts';
import { SvcError } from '../errors.ts';
import { parse, type ValueProblem } from '../validation/validate.ts';

/** A schema for each parameter of a call, in order. Messages name an option of the parameter `options` without this prefix. */
type ParameterSchemas = Readonly<Record<string, v.GenericSchema>>;

/**
 * @param callName the call as users write it, such as `clock.advance`
 * @throws SvcError `usage` that names the first unknown or invalid argument or option, at any depth, and the closest valid name
 */
export function checkArguments(
  callName: string,
  parameters: ParameterSchemas,
  args: readonly unknown[],
): void {
  for (const [index, [name, schema]] of Object.entries(parameters).entries()) {
    const prefix = name === 'options' ? [] : [name];
    parse(schema, args[index], (problem) => toUsageError(callName, problem, prefix));
  }
}

function toUsageError(
  callName: string,
  { keys, problem, value, isUnknownField, choices }: ValueProblem,
  prefix: readonly string[],
): SvcError {
  const path = [...prefix, ...keys];
  const subject = formatFieldPath(path);
  if (!isUnknownField) {
    const hint = suggestMatch(String(value), choices);
    const message = `${callName}: ${subject || 'the argument'} ${problem}.`;
    return new SvcError('usage', hint === null ? message : `${message} ${hint}`);
  }
  const format = (name: string) => formatFieldPath([...path.slice(0, -1), name]);
  const hint =
    suggestMatch(String(path.at(-1)), choices, format) ?? `Use one of ${choices.map(format).join(', ')}.`;
  return new SvcError('usage', `${callName} has no option ${subject}. ${hint}`);
}

/**
 * Wraps each function so that it rejects if an argument is invalid.
 * @param group the property that users call the functions on, such as `events`
 */
export function withArgumentChecks<Api extends object>(
  group: string,
  api: Api,
  parameters: { readonly [Name in keyof Api & string]: ParameterSchemas },
): Api {
  const methods = Object.entries(api).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      checkArguments(`${group}.${name}`, parameters[name as keyof Api & string], args);
      return method(...args);
    },
  ]);
  return Object.fromEntries(methods) as Api;
}
