/** Checks what callers pass to the library against schemas: TypeScript refuses a misspelled option, JavaScript does not. */
import * as v from 'valibot';
import { toProblem } from '../contract/validate.ts';
import { closestMatch } from '../domain/closest-match.ts';
import { SvcError } from '../errors.ts';

/** A schema for each parameter of a call, in order. Messages name the fields of `options` without that prefix. */
export type ParameterSchemas = Readonly<Record<string, v.GenericSchema>>;

/**
 * @param call as the caller writes it, such as `clock.advance`.
 * @throws SvcError `usage` that names the first unknown or invalid argument or option, at any depth, and the nearest known one.
 */
export function checkArguments(call: string, parameters: ParameterSchemas, args: readonly unknown[]): void {
  for (const [index, [name, schema]] of Object.entries(parameters).entries()) {
    const prefix = name === 'options' ? [] : [name];
    refuseUnknown(call, schema, args[index], prefix);
    const issue = v.safeParse(schema, args[index], { abortEarly: true }).issues?.[0];
    if (issue !== undefined) throw toUsageError(call, issue, prefix);
  }
}

/** Wraps each function so that it checks its arguments first, and rejects when one is invalid. */
export function withArgumentChecks<Api extends object>(
  group: string,
  api: Api,
  parameters: { readonly [Name in keyof Api & string]: ParameterSchemas },
): Api {
  const calls = Object.entries(api).map(([name, call]) => [
    name,
    async (...args: unknown[]) => {
      checkArguments(`${group}${name}`, parameters[name as keyof Api & string], args);
      return call(...args);
    },
  ]);
  return Object.fromEntries(calls) as Api;
}

type Path = readonly (string | number)[];

/** What a valibot schema contains. A schema with a pipe has the properties of its first item. */
interface Walkable {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Walkable>>;
  readonly item?: Walkable;
  readonly wrapped?: Walkable;
  readonly getter?: (input: unknown) => Walkable;
}

function refuseUnknown(call: string, schema: unknown, value: unknown, path: Path): void {
  const { type, entries, item, wrapped, getter } = schema as Walkable;
  const inner = getter?.(value) ?? wrapped;
  if (typeof value !== 'object' || value === null) return;
  if (inner !== undefined) refuseUnknown(call, inner, value, path);
  if (item !== undefined && Array.isArray(value)) {
    for (const [index, each] of value.entries()) refuseUnknown(call, item, each, [...path, index]);
  }
  if (entries === undefined) return;
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(entries, name) ? entries[name] : undefined;
    if (known !== undefined) refuseUnknown(call, known, member, [...path, name]);
    else if (type === 'strict_object') throw unknownOption(call, [...path, name], Object.keys(entries));
  }
}

function unknownOption(call: string, path: Path, known: readonly string[]): SvcError {
  const parent = path.slice(0, -1);
  const nearest = closestMatch(String(path.at(-1)), known);
  const names = known.map((name) => format([...parent, name]));
  const hint =
    nearest === null
      ? `The options are ${names.join(', ')}.`
      : `Did you mean ${format([...parent, nearest])}?`;
  return new SvcError('usage', `${call} has no option ${format(path)}.`, { hint });
}

function toUsageError(call: string, issue: v.BaseIssue<unknown>, prefix: Path): SvcError {
  const { problem } = toProblem(issue);
  const path = [...prefix, ...(issue.path ?? []).map(({ key }) => key as string | number)];
  const subject = path.length === 0 ? 'the argument' : format(path);
  const isShown = problem.startsWith('must') && !problem.includes(', not ');
  const message = `${call}: ${subject} ${problem}${isShown ? `, not ${show(issue.input)}` : ''}.`;
  const nearest = issue.type === 'picklist' ? closestMatch(String(issue.input), listChoices(issue)) : null;
  return new SvcError('usage', message, nearest === null ? {} : { hint: `Did you mean ${nearest}?` });
}

/** Valibot writes them as `("relaxed" | "strict")`. */
function listChoices({ expected }: v.BaseIssue<unknown>): string[] {
  return Array.from(String(expected).matchAll(/"([^"]+)"/g), ([, choice = '']) => choice);
}

/** `clock.speed`, `answers[1].status` */
function format(path: Path): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  return text.replace(/^\./, '');
}

const SHOWN_LENGTH = 64;

function show(value: unknown): string {
  if (value instanceof Date) return 'a Date';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'function') return 'a function';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}
