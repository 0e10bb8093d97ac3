/** Checks the arguments of library calls against schemas, so that plain JavaScript gets the errors that TypeScript reports. */

import * as v from 'valibot';
import { toProblem } from '../contract/validate.ts';
import { formatFieldPath } from '../domain/json.ts';
import { suggestMatch } from '../domain/message-parts.ts';
import { SvcError } from '../errors.ts';
import { areTimersFake } from '../timers.ts';

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
    checkOptionNames(callName, schema, args[index], prefix);
    const issue = v.safeParse(schema, args[index], { abortEarly: true }).issues?.[0];
    if (issue !== undefined) throw toUsageError(callName, issue, prefix);
  }
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

type Path = readonly (string | number)[];

/** The parts of a valibot schema that lead to nested options. A schema with a pipe has the properties of its first item. */
interface SchemaNode {
  readonly type: string;
  /** Of the fields of an object. */
  readonly entries?: Readonly<Record<string, SchemaNode>>;
  /** Of the items of an array. */
  readonly item?: SchemaNode;
  /** Of the value of an `optional` schema. */
  readonly wrapped?: SchemaNode;
  /** Returns the schema that a `lazy` schema selects for a value. */
  readonly getter?: (input: unknown) => SchemaNode;
}

function checkOptionNames(callName: string, schema: unknown, value: unknown, path: Path): void {
  const { type, entries, item, wrapped, getter } = schema as SchemaNode;
  const inner = getter?.(value) ?? wrapped;
  if (typeof value !== 'object' || value === null) return;
  if (inner !== undefined) checkOptionNames(callName, inner, value, path);
  if (item !== undefined && Array.isArray(value)) {
    for (const [index, entry] of value.entries()) checkOptionNames(callName, item, entry, [...path, index]);
  }
  if (entries === undefined) return;
  for (const [name, field] of Object.entries(value)) {
    const fieldSchema = Object.hasOwn(entries, name) ? entries[name] : undefined;
    if (fieldSchema !== undefined) checkOptionNames(callName, fieldSchema, field, [...path, name]);
    else if (type === 'strict_object')
      throw toUnknownOptionError(callName, [...path, name], Object.keys(entries));
  }
}

function toUnknownOptionError(callName: string, path: Path, validNames: readonly string[]): SvcError {
  const parent = path.slice(0, -1);
  const names = validNames.map((name) => formatFieldPath([...parent, name]));
  const hint =
    suggestMatch(String(path.at(-1)), validNames, (name) => formatFieldPath([...parent, name])) ??
    `Use one of ${names.join(', ')}.`;
  return new SvcError('usage', `${callName} has no option ${formatFieldPath(path)}.`, { hint });
}

function toUsageError(callName: string, issue: v.BaseIssue<unknown>, prefix: Path): SvcError {
  const { problem } = toProblem(issue);
  const path = [...prefix, ...(issue.path ?? []).map(({ key }) => key as string | number)];
  const subject = path.length === 0 ? 'the argument' : formatFieldPath(path);
  // Some problems of `toProblem` already end with `, not <type>`.
  const omitsReceived = problem.startsWith('must') && !problem.includes(', not ');
  const message = `${callName}: ${subject} ${problem}${omitsReceived ? `, not ${formatValue(issue.input)}` : ''}.`;
  const hint = issue.type === 'picklist' ? suggestMatch(String(issue.input), listChoices(issue)) : null;
  return new SvcError('usage', message, { hint });
}

/** Valibot prints choices as `("relaxed" | "strict")`. */
function listChoices({ expected }: v.BaseIssue<unknown>): string[] {
  return Array.from(String(expected).matchAll(/"([^"]+)"/g), ([, choice = '']) => choice);
}

const MAX_SHOWN_LENGTH = 64;

function formatValue(value: unknown): string {
  if (value instanceof Date) return 'a Date';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'function') return 'a function';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}

/** @throws SvcError `usage` if fake timers were installed before the library was loaded: it would wait forever */
export function requireRealTimers(): void {
  if (!areTimersFake) return;
  throw new SvcError('usage', 'svc-emulator was imported while fake timers were installed.', {
    hint: 'Import svc-emulator at the top of the file, or before the call that installs fake timers. Then they do not affect it.',
  });
}
