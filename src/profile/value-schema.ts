/**
 * Schemas for values in configuration: durations as `"5m"`, sizes as `"64KiB"`, one of several words, and objects of
 * those. Each says what it accepts, for error messages, for the help and for the gap register.
 */
import { inspect } from 'node:util';
import { parseDuration } from '../domain/duration.ts';
import { isHttpUrl } from '../domain/http-url.ts';
import { isObject } from '../domain/json.ts';
import { suggestMatch } from '../domain/message-parts.ts';
import { type Hint, SvcError } from '../errors.ts';

/** Where a value was set, for the error that it can cause. */
export interface ValueLocation {
  /** Such as `overrides["retry.schedule"][2]`, `--port` or `SVC_PORT`. */
  readonly path: string;
  /** Name of the file that has the value, if it is in a file. */
  readonly file?: string;
  /** What the user can do if the value is rejected. @param expected what is accepted */
  toHint(expected: string): Hint | string;
}

export interface ValueSchema<T> {
  /** What is accepted; completes the sentence "Pass …". */
  readonly expected: string;
  /** Lines for the gap register: each accepted value with its meaning, or a description of all accepted values. */
  readonly choices: readonly string[];
  /** @throws SvcError `validation_failed` that names the location, what was expected and what was found */
  parse(value: unknown, valueLocation: ValueLocation): T;
  /**
   * Converts the text of a variable or an option to a value for `parse` (default: the text). Returns invalid text unchanged, so
   * that the error of `parse` shows it.
   */
  fromText?(text: string): unknown;
}

/** One of at least two words. @param meanings the meaning of each word */
export function oneOf<Word extends string>(meanings: Readonly<Record<Word, string>>): ValueSchema<Word> {
  const words = Object.keys(meanings).map((word) => JSON.stringify(word));
  const isWord = (value: unknown): value is Word =>
    typeof value === 'string' && Object.hasOwn(meanings, value);
  return createSchema(
    `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
    (value) => (isWord(value) ? value : undefined),
    Object.entries(meanings).map(([word, meaning]) => `${JSON.stringify(word)} (${meaning})`),
  );
}

/** A duration such as `"5m"` from `min` to `max`, parsed to milliseconds. */
export function duration(min: string, max: string): ValueSchema<number> {
  const expected = `a duration from ${min} to ${max}, written like "90s" or "1h30m"`;
  return quantity(expected, parseDuration, min, max);
}

/** A size such as `"64KiB"` from `min` to `max`, parsed to bytes. */
export function byteSize(min: string, max: string): ValueSchema<number> {
  return quantity(`a size from ${min} to ${max}, written like "64KiB"`, parseBytes, min, max);
}

function quantity(
  expected: string,
  parse: (text: string) => number | null,
  min: string,
  max: string,
): ValueSchema<number> {
  return parsedString(expected, (text) => {
    const amount = parse(text);
    return isBetween(amount, Number(parse(min)), Number(parse(max))) ? amount : null;
  });
}

const UNIT_BYTES = { B: 1, KiB: 1024, MiB: 1024 * 1024 } as const;

function parseBytes(text: string): number | null {
  const match = /^(\d+) ?(B|KiB|MiB)$/.exec(text);
  return match && Number(match[1]) * UNIT_BYTES[match[2] as keyof typeof UNIT_BYTES];
}

export function wholeNumber(min: number, max: number): ValueSchema<number> {
  const schema = createSchema(`a whole number from ${min} to ${max}`, (value) =>
    Number.isInteger(value) && isBetween(value, min, max) ? value : undefined,
  );
  return { ...schema, fromText: parseNumber };
}

export function number(min: number, max: number): ValueSchema<number> {
  const schema = createSchema(`a number from ${min} to ${max}`, (value) =>
    isBetween(value, min, max) ? value : undefined,
  );
  return { ...schema, fromText: parseNumber };
}

function parseNumber(text: string): unknown {
  const value = Number(text);
  return text.trim() === '' || Number.isNaN(value) ? text : value;
}

function isBetween(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && value >= min && value <= max;
}

export function boolean(): ValueSchema<boolean> {
  const schema = createSchema('true or false', (value) => (typeof value === 'boolean' ? value : undefined));
  return { ...schema, fromText: parseBoolean };
}

function parseBoolean(text: string): unknown {
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : text;
}

/** A string of at least one character that `isValid` accepts. */
export function string(
  expected: string,
  isValid: (text: string) => boolean = () => true,
): ValueSchema<string> {
  return parsedString(expected, (text) => (text !== '' && isValid(text) ? text : null));
}

export function httpUrl(example: string): ValueSchema<string> {
  return string(`a URL such as ${example}`, isHttpUrl);
}

/** A string that `parse` converts. It returns null for an invalid one. */
export function parsedString<T>(expected: string, parse: (text: string) => T | null): ValueSchema<T> {
  return createSchema(expected, (value) =>
    typeof value === 'string' ? (parse(value) ?? undefined) : undefined,
  );
}

/** An object whose fields are validated elsewhere. */
export function anyObject(expected: string): ValueSchema<Readonly<Record<string, unknown>>> {
  return createSchema(expected, (value) => (isObject(value) ? value : undefined));
}

/** A list of at least one item. In text, the items are separated by commas. */
export function listOf<T>(item: ValueSchema<T>): ValueSchema<readonly T[]> {
  const schema = createSchema(
    `a list of at least one item, each ${item.expected}`,
    (value, valueLocation) => {
      if (!Array.isArray(value) || value.length === 0) return undefined;
      return value.map((entry, index) =>
        item.parse(entry, { ...valueLocation, path: `${valueLocation.path}[${index}]` }),
      );
    },
  );
  return { ...schema, fromText: (text) => text.split(',').map((entry) => entry.trim()) };
}

type FieldSchemas = Readonly<Record<string, ValueSchema<unknown>>>;
type FieldValues<Schemas> = {
  readonly [Name in keyof Schemas]: Schemas[Name] extends ValueSchema<infer T> ? T : never;
};

/** An object with exactly these fields. */
export function objectOf<Schemas extends FieldSchemas>(
  fieldSchemas: Schemas,
): ValueSchema<FieldValues<Schemas>> {
  const names = Object.keys(fieldSchemas);
  return createSchema(
    `an object with ${names.map((name) => JSON.stringify(name)).join(' and ')}`,
    (value, valueLocation) => {
      if (!isObject(value)) return undefined;
      for (const name of Object.keys(value)) {
        if (!names.includes(name)) throw unknownFieldError(name, names, describePath(valueLocation));
      }
      const entries = Object.entries(fieldSchemas).map(([name, schema]) => [
        name,
        schema.parse(value[name], { ...valueLocation, path: `${valueLocation.path}.${name}` }),
      ]);
      return Object.fromEntries(entries) as FieldValues<Schemas>;
    },
    Object.entries(fieldSchemas).flatMap(([name, { choices }]) =>
      choices.map((choice) => `${JSON.stringify(name)}: ${choice}`),
    ),
  );
}

/** `"off"`, parsed to null, or an object that the schema accepts. */
export function objectOrOff<T extends object>(schema: ValueSchema<T>): ValueSchema<T | null> {
  return createSchema<T | null>(
    `"off" or ${schema.expected}`,
    (value, valueLocation) => {
      if (value === 'off') return null;
      return isObject(value) ? schema.parse(value, valueLocation) : undefined;
    },
    ['"off"', ...schema.choices],
  );
}

/**
 * A schema with an additional rule for the parsed value.
 * @param rule continues the text `expected` of the schema: "with a sum of at most 72h"
 */
export function withRule<T>(
  schema: ValueSchema<T>,
  rule: string,
  isValid: (value: T) => boolean,
): ValueSchema<T> {
  return createSchema(
    `${schema.expected}, ${rule}`,
    (value, valueLocation) => {
      const parsed = schema.parse(value, valueLocation);
      return isValid(parsed) ? parsed : undefined;
    },
    [...schema.choices, rule],
  );
}

/** @param parse returns undefined for an invalid value */
function createSchema<T>(
  expected: string,
  parse: (value: unknown, valueLocation: ValueLocation) => T | undefined,
  choices: readonly string[] = [expected],
): ValueSchema<T> {
  return {
    expected,
    choices,
    parse(value, valueLocation) {
      const parsed = parse(value, valueLocation);
      if (parsed === undefined) throw invalidValueError(value, expected, valueLocation);
      return parsed;
    },
  };
}

/** Converts `randomSeed` to `random_seed`, as fields are named in configuration. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * The error for an unknown field, with the one that was probably meant.
 * @param hint if no field is similar
 */
export function unknownFieldError(
  name: string,
  validNames: readonly string[],
  path: string,
  hint: Hint | string = `Use one of: ${validNames.join(', ')}`,
): SvcError {
  return new SvcError('validation_failed', `${path} has no field ${JSON.stringify(name)}.`, {
    hint: suggestMatch(name, validNames, (field) => JSON.stringify(field)) ?? hint,
  });
}

const MAX_SHOWN_LENGTH = 80;

/** The error for an invalid value, or for a missing one (undefined). */
export function invalidValueError(value: unknown, expected: string, valueLocation: ValueLocation): SvcError {
  const path = describePath(valueLocation);
  const message =
    value === undefined ? `Missing value for ${path}` : `Invalid value for ${path}: ${show(value)}`;
  return new SvcError('validation_failed', message, { hint: valueLocation.toHint(expected) });
}

/** `port in svc.config.json` */
export function describePath({ path, file }: ValueLocation): string {
  return file === undefined ? path : `${path} in ${file}`;
}

// With `inspect`, because a configuration module can also export values that JSON does not have.
function show(value: unknown): string {
  const text =
    typeof value === 'string'
      ? JSON.stringify(value)
      : inspect(value, { compact: true, breakLength: Infinity });
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}
