/**
 * Schemas for values as people write them in configuration: durations as `"5m"`, sizes as `"64KiB"`, words of a closed
 * set, and objects of those. Each says what it accepts, for error messages and for the gap register.
 */
import { inspect } from 'node:util';
import { parseDuration } from '../domain/duration.ts';
import { isHttpUrl } from '../domain/http-url.ts';
import { suggestMatch } from '../domain/suggest-match.ts';
import { SvcError } from '../errors.ts';

/** Where a value was written, for the error that it can cause. */
export interface ValueLocation {
  /** `overrides["retry.schedule"][2]`, `--port`, `SVC_PORT` */
  readonly path: string;
  /** The next step after the value was rejected. */
  readonly hint: string;
}

export interface ValueSchema<T> {
  /** What is accepted; completes the sentence "it must be …". */
  readonly expected: string;
  /** Every choice, with its meaning if the word is not clear. */
  readonly choices: readonly string[];
  /** @throws SvcError `validation_failed` that names the place, what was expected and what was found. */
  parse(value: unknown, valueLocation: ValueLocation): T;
}

/** One word of a closed set, given with the meaning of each. */
export function oneOf<Word extends string>(meanings: Readonly<Record<Word, string>>): ValueSchema<Word> {
  const words = Object.keys(meanings).map((word) => JSON.stringify(word));
  const isWord = (value: unknown): value is Word =>
    typeof value === 'string' && Object.hasOwn(meanings, value);
  return createForm(
    `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`,
    (value) => (isWord(value) ? value : undefined),
    Object.entries(meanings).map(([word, meaning]) => `${JSON.stringify(word)} (${meaning})`),
  );
}

/** A duration such as `"5m"` from `min` to `max`; read as milliseconds. */
export function duration(min: string, max: string): ValueSchema<number> {
  return createForm(`a duration from ${min} to ${max}, written like "90s" or "1h30m"`, (value) => {
    const ms = typeof value === 'string' ? parseDuration(value) : null;
    return ms !== null && ms >= Number(parseDuration(min)) && ms <= Number(parseDuration(max))
      ? ms
      : undefined;
  });
}

const UNIT_BYTES = { B: 1, KiB: 1024, MiB: 1024 * 1024 } as const;

/** A size such as `"64KiB"` from `min` to `max`; read as bytes. */
export function byteSize(min: string, max: string): ValueSchema<number> {
  return createForm(`a size from ${min} to ${max}, written like "64KiB"`, (value) => {
    const bytes = typeof value === 'string' ? parseBytes(value) : null;
    return bytes !== null && bytes >= Number(parseBytes(min)) && bytes <= Number(parseBytes(max))
      ? bytes
      : undefined;
  });
}

function parseBytes(text: string): number | null {
  const match = /^(\d+) ?(B|KiB|MiB)$/.exec(text);
  return match && Number(match[1]) * UNIT_BYTES[match[2] as keyof typeof UNIT_BYTES];
}

export function wholeNumber(min: number, max: number): ValueSchema<number> {
  return createForm(`a whole number from ${min} to ${max}`, (value) =>
    Number.isInteger(value) && isBetween(value, min, max) ? value : undefined,
  );
}

export function number(min: number, max: number): ValueSchema<number> {
  return createForm(`a number from ${min} to ${max}`, (value) =>
    isBetween(value, min, max) ? value : undefined,
  );
}

function isBetween(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && value >= min && value <= max;
}

export function trueOrFalse(): ValueSchema<boolean> {
  return createForm('true or false', (value) => (typeof value === 'boolean' ? value : undefined));
}

/** Text of at least one character that satisfies `holds`. */
export function text(expected: string, holds: (text: string) => boolean = () => true): ValueSchema<string> {
  return createForm(expected, (value) =>
    typeof value === 'string' && value !== '' && holds(value) ? value : undefined,
  );
}

export function httpUrl(example: string): ValueSchema<string> {
  return text(`a URL such as ${example}`, isHttpUrl);
}

/** Text that `read` converts; null is for invalid text. */
export function parsedText<T>(expected: string, read: (text: string) => T | null): ValueSchema<T> {
  return createForm(expected, (value) =>
    typeof value === 'string' ? (read(value) ?? undefined) : undefined,
  );
}

/** An object whose fields are checked elsewhere. */
export function anyObject(expected: string): ValueSchema<Readonly<Record<string, unknown>>> {
  return createForm(expected, (value) => (isObject(value) ? value : undefined));
}

/** A list of at least one item. */
export function listOf<T>(item: ValueSchema<T>): ValueSchema<readonly T[]> {
  const expected = `a list of at least one item, each ${item.expected}`;
  return {
    expected,
    choices: [expected],
    parse: (value, valueLocation) => {
      if (!Array.isArray(value) || value.length === 0)
        throw invalidValueError(value, expected, valueLocation);
      return value.map((entry, index) =>
        item.parse(entry, { ...valueLocation, path: `${valueLocation.path}[${index}]` }),
      );
    },
  };
}

type ValueOf<F> = F extends ValueSchema<infer T> ? T : never;
type MemberValues<Forms> = { readonly [Name in keyof Forms]: ValueOf<Forms[Name]> };

/** An object with exactly these fields. */
export function objectOf<Forms extends Readonly<Record<string, ValueSchema<unknown>>>>(
  forms: Forms,
): ValueSchema<MemberValues<Forms>> {
  const names = Object.keys(forms);
  const expected = `an object with ${names.map((name) => JSON.stringify(name)).join(' and ')}`;
  return {
    expected,
    choices: Object.entries(forms).flatMap(([name, form]) =>
      form.choices.map((choice) => `${JSON.stringify(name)}: ${choice}`),
    ),
    parse: (value, valueLocation) => {
      if (!isObject(value)) throw invalidValueError(value, expected, valueLocation);
      for (const name of Object.keys(value)) {
        if (!Object.hasOwn(forms, name)) throw unknownKeyError(name, names, valueLocation);
      }
      const parsed = Object.entries(forms).map(([name, form]) => [
        name,
        form.parse(value[name], { ...valueLocation, path: `${valueLocation.path}.${name}` }),
      ]);
      return Object.fromEntries(parsed) as MemberValues<Forms>;
    },
  };
}

/** Either `"off"`, read as null, or the other form. */
export function orOff<T>(valueSchema: ValueSchema<T>): ValueSchema<T | null> {
  const expected = `"off" or ${valueSchema.expected}`;
  return {
    expected,
    choices: ['"off"', ...valueSchema.choices],
    parse: (value, valueLocation) => {
      if (value === 'off') return null;
      if (!isObject(value)) throw invalidValueError(value, expected, valueLocation);
      return valueSchema.parse(value, valueLocation);
    },
  };
}

/** A schema with an additional rule for the value that was read. */
export function withRule<T>(
  valueSchema: ValueSchema<T>,
  rule: string,
  holds: (value: T) => boolean,
): ValueSchema<T> {
  const expected = `${valueSchema.expected}; ${rule}`;
  return {
    expected,
    choices: [...valueSchema.choices, rule],
    parse: (value, valueLocation) => {
      const parsed = valueSchema.parse(value, valueLocation);
      if (!holds(parsed)) throw invalidValueError(value, expected, valueLocation);
      return parsed;
    },
  };
}

/** The error for an unknown field, with the one that was probably meant. */
export function unknownKeyError(
  name: string,
  known: readonly string[],
  valueLocation: ValueLocation,
): SvcError {
  return new SvcError('validation_failed', `${valueLocation.path} has no field ${JSON.stringify(name)}.`, {
    hint: suggestMatch(name, known, (field) => JSON.stringify(field)) ?? valueLocation.hint,
  });
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A schema without parts: `read` returns undefined for an invalid value. */
function createForm<T>(
  expected: string,
  read: (value: unknown) => T | undefined,
  choices: readonly string[] = [expected],
): ValueSchema<T> {
  return {
    expected,
    choices,
    parse: (value, valueLocation) => {
      const parsed = read(value);
      if (parsed === undefined) throw invalidValueError(value, expected, valueLocation);
      return parsed;
    },
  };
}

const SHOWN_LENGTH = 80;

/** The error for an invalid value. */
export function invalidValueError(value: unknown, expected: string, { path, hint }: ValueLocation): SvcError {
  const found = value === undefined ? 'it is missing' : `not ${show(value)}`;
  return new SvcError('validation_failed', `${path} must be ${expected}; ${found}.`, { hint });
}

// A configuration module can also export values that JSON does not have.
function show(value: unknown): string {
  const shown =
    typeof value === 'string'
      ? JSON.stringify(value)
      : inspect(value, { compact: true, breakLength: Infinity });
  return shown.length > SHOWN_LENGTH ? `${shown.slice(0, SHOWN_LENGTH)}…` : shown;
}
