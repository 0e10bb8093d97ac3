/** Schemas of the answers to gaps. Each lists its choices for the gap register. */
import * as v from 'valibot';
import { isObject } from '../domain/json.ts';
import { describeSchema } from '../resources/validate.ts';
import { expecting } from '../resources/value-schemas.ts';

/** A schema of `T`. `choices` are the accepted values with their meanings, if what the schema accepts does not say it. */
export type GapSchema<T = unknown> = v.GenericSchema<unknown, T> & { readonly choices?: readonly string[] };

export function listChoices(schema: GapSchema): readonly string[] {
  return schema.choices ?? [describeSchema(schema)];
}

/** One of several words. @param meanings the meaning of each word */
export function oneOf<Word extends string>(meanings: Readonly<Record<Word, string>>) {
  const choices = Object.entries(meanings).map(([word, meaning]) => `${JSON.stringify(word)} (${meaning})`);
  return { ...v.picklist(Object.keys(meanings) as Word[]), choices };
}

export function objectOf<const Entries extends Readonly<Record<string, GapSchema>>>(entries: Entries) {
  const names = Object.keys(entries).map((name) => JSON.stringify(name));
  const choices = Object.entries(entries).flatMap(([name, schema]) =>
    listChoices(schema).map((choice) => `${JSON.stringify(name)}: ${choice}`),
  );
  return { ...expecting(`an object with ${names.join(' and ')}`, v.strictObject(entries)), choices };
}

/** `"off"`, which becomes null, or an object. */
export function objectOrOff<T>(schema: GapSchema<T>): GapSchema<T | null> {
  const off = v.pipe(
    v.literal('off'),
    v.transform(() => null),
  );
  const offOnly = expecting(`"off" or ${describeSchema(schema)}`, off);
  return {
    ...v.lazy((value): GapSchema<T | null> => (isObject(value) ? schema : offOnly)),
    choices: ['"off"', ...listChoices(schema)],
  };
}

/**
 * A schema with an additional rule for the parsed value.
 * @param rule continues what the schema accepts: "with a sum of at most 72h"
 */
export function withRule<T>(
  schema: GapSchema<T>,
  rule: string,
  isValid: (value: T) => boolean,
): GapSchema<T> {
  const checked = v.pipe(schema, v.check(isValid));
  return {
    ...expecting(`${describeSchema(schema)}, ${rule}`, checked),
    choices: [...listChoices(schema), rule],
  };
}
