/** Durations as text in the input of operations, such as `{"overlap": "1h"}`, next to the fields in milliseconds. */
import * as v from 'valibot';
import { duration } from '../validation/value-schemas.ts';
import { described } from './fields.ts';

/** Within the range of every duration of the control plane. */
const EXAMPLE_DURATION = '1m';

const describeText = (name: string, msSchema: v.GenericSchema, example?: string) =>
  described(
    `\`${name}\` as text, such as \`${example ?? EXAMPLE_DURATION}\`.`,
    v.optional(duration(msSchema)),
    example,
  );

type DurationTexts<Names> = {
  [Name in keyof Names]: v.OptionalSchema<ReturnType<typeof duration>, undefined>;
};

/**
 * An object in which durations can be text. For each duration, the input has at most one of the two fields, and the output only
 * the one in milliseconds.
 * @param names name of the field with text → name of the field in `entries`, which has the range
 * @param examples values of fields with text in the example of a request
 */
export function withDurationTexts<
  const Entries extends v.ObjectEntries,
  const Names extends Readonly<Record<string, keyof Entries & string>>,
>(entries: Entries, names: Names, examples: { readonly [Name in keyof Names]?: string } = {}) {
  const object = v.strictObject(entries);
  const fields = Object.entries(entries).flatMap(([name, schema]) => [
    ...Object.keys(names)
      .filter((text) => names[text] === name)
      .map((text) => [text, describeText(name, schema as v.GenericSchema, examples[text])]),
    [name, schema],
  ]);
  return v.pipe(
    v.strictObject(Object.fromEntries(fields) as Entries & DurationTexts<Names>),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const value = { ...(dataset.value as Record<string, unknown>) };
      for (const [name, msName] of Object.entries(names)) {
        const ms = value[name];
        if (ms === undefined) continue;
        if (value[msName] !== undefined) {
          const message = `must not be combined with ${msName}`;
          addIssue({
            message,
            path: [{ type: 'object', origin: 'value', input: value, key: name, value: ms }],
          });
          return NEVER;
        }
        delete value[name];
        value[msName] = ms;
      }
      return value as v.InferOutput<typeof object>;
    }),
  );
}
