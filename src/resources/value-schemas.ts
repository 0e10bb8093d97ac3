/** Schemas of single values that several inputs share: settings, gaps, arguments of the library and of tools. */
import * as v from 'valibot';
import { formatDuration, parseDuration, parsePeriod, parseRelativeTime } from '../domain/duration.ts';
import { describeRange, describeSchema } from './validate.ts';

/**
 * A value that `isAccepted` accepts.
 * @param expected completes "must be" and "Pass" in messages
 */
export function accept<T>(
  expected: string,
  isAccepted: (value: unknown) => boolean,
): v.CustomSchema<T, undefined> {
  return expecting(expected, v.custom<T>(isAccepted));
}

/** The schema, with another description in messages. */
export function expecting<Schema>(expected: string, schema: Schema): Schema {
  return { ...schema, expects: expected };
}

export function number(min: number, max: number) {
  return v.pipe(v.number(), v.minValue(min), v.maxValue(max));
}

export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER) {
  return v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));
}

/** Speed of a schedule clock: schedule seconds per real second. */
export const Speed = number(0.001, 1_000_000);

/** An integer. In a query it is text, of at most 15 digits, so that no digit is lost. */
export const WholeNumber = {
  ...v.union([
    v.pipe(v.number(), v.integer()),
    v.pipe(v.string(), v.regex(/^-?\d{1,15}$/), v.transform(Number)),
  ]),
  expects: 'integer',
};

/** An integer from `min` to `max`, in a query or a body. */
export function wholeNumberFrom(min: number, max = Number.MAX_SAFE_INTEGER) {
  return v.pipe(WholeNumber, v.minValue(min), v.maxValue(max));
}

/** Marks the schema of a duration in milliseconds for JSON Schema. */
export const MILLISECONDS = 'milliseconds';

/** A duration from `min` to `max`, in milliseconds or as text such as `35m`, in a query or a body. */
export function durationFrom(min: number, max = Number.MAX_SAFE_INTEGER) {
  const isAccepted = (value: unknown) => {
    const ms = toMilliseconds(value as number | string);
    return Number.isInteger(ms) && ms >= min && ms <= max;
  };
  const value = v.union([v.pipe(v.custom<number | string>(isAccepted), v.transform(toMilliseconds))]);
  // The limits are for {@link describeRange} and JSON Schema.
  const schema = v.pipe({ ...value, expects: MILLISECONDS }, v.minValue(min), v.maxValue(max));
  const range = describeRange(schema, formatDuration);
  return expecting(`a duration${range}, written like "90s" or "1h30m", or in milliseconds`, schema);
}

function toMilliseconds(value: number | string): number {
  if (typeof value !== 'string') return value;
  return /^\d{1,15}$/.test(value) ? Number(value) : (parseDuration(value) ?? Number.NaN);
}

/** A text that `parse` converts. It returns null for an invalid one. */
export function parsedText<T>(expected: string, parse: (text: string) => T | null) {
  return v.pipe(
    accept<string>(expected, (value) => typeof value === 'string' && parse(value) !== null),
    v.transform((text) => parse(text) as T),
  );
}

/** A text of at least one character that `isValid` accepts. */
export function text(expected: string, isValid: (text: string) => boolean = () => true) {
  return accept<string>(expected, (value) => typeof value === 'string' && value !== '' && isValid(value));
}

/** A duration such as `"5m"`, parsed to milliseconds. @param msSchema accepts the milliseconds (default: all) */
export function duration(msSchema: v.GenericSchema = v.number()) {
  const isAccepted = (ms: number | null) => ms !== null && v.is(msSchema, ms);
  return expecting(
    `a duration${describeRange(msSchema, formatDuration)}, written like "90s" or "1h30m"`,
    v.pipe(
      v.string(),
      v.check((text) => isAccepted(parseDuration(text))),
      v.transform((text) => Number(parseDuration(text))),
    ),
  );
}

/** A time in ISO 8601, or a duration before now. The text stays, because only the emulator knows the schedule time. */
export const RelativeTime = expecting(
  'a duration such as 1h, or a time such as 2026-11-20T12:00:00Z',
  v.pipe(
    v.string(),
    v.check((text) => !Number.isNaN(parseRelativeTime(text, 0))),
  ),
);

/** Two times as {@link RelativeTime}, or one for up to now. */
export const Period = expecting(
  'a duration such as 1h, or two times such as 2026-11-20T12:00:00Z/2026-11-20T13:00:00Z',
  v.pipe(
    v.string(),
    v.check((text) => !parsePeriod(text, 0).some(Number.isNaN)),
  ),
);

/** A size such as `"64KiB"` from `min` to `max`, parsed to bytes. */
export function byteSize(min: string, max: string) {
  return parsedText(`a size from ${min} to ${max}, written like "64KiB"`, (value) => {
    const size = parseSize(value);
    return size !== null && size >= Number(parseSize(min)) && size <= Number(parseSize(max)) ? size : null;
  });
}

const UNIT_BYTES = { B: 1, KiB: 1024, MiB: 1024 * 1024 } as const;

function parseSize(size: string): number | null {
  const match = /^(\d+) ?(B|KiB|MiB)$/.exec(size);
  return match && Number(match[1]) * UNIT_BYTES[match[2] as keyof typeof UNIT_BYTES];
}

/** A list of at least one item. */
export function listOf<Item extends v.GenericSchema>(item: Item) {
  const expected = `a list of at least one item, each ${describeSchema(item)}`;
  return expecting(expected, v.pipe(v.array(item), v.minLength(1)));
}
