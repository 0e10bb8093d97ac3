/** Durations as text in the input of operations, such as `{"overlap": "1h"}`, next to the fields in milliseconds. */
import * as v from 'valibot';
import { formatDuration, parseDuration } from '../domain/duration.ts';
import { described } from './fields.ts';

const NOT_A_DURATION = 'must be a duration such as 90s, 35m or 1h30m';

/** A duration as text. The domain parses it. */
export const DurationText = v.pipe(
  v.string(NOT_A_DURATION),
  v.check((text) => parseDuration(text) !== null, NOT_A_DURATION),
);

/** Within the range of every duration of the control plane. */
const EXAMPLE_DURATION = '1m';

const describeText = (name: string, example?: string) =>
  described(
    `\`${name}\` as text, such as \`${example ?? EXAMPLE_DURATION}\`.`,
    v.optional(DurationText),
    example,
  );

type DurationTexts<Names> = { [Name in keyof Names]: v.OptionalSchema<typeof DurationText, undefined> };

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
      .map((text) => [text, describeText(name, examples[text])]),
    [name, schema],
  ]);
  return v.pipe(
    v.strictObject(Object.fromEntries(fields) as Entries & DurationTexts<Names>),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const value = { ...(dataset.value as Record<string, unknown>) };
      for (const [name, msName] of Object.entries(names)) {
        const text = value[name];
        if (text === undefined) continue;
        const reject = (message: string) => {
          addIssue({
            message,
            path: [{ type: 'object', origin: 'value', input: value, key: name, value: text }],
          });
          return NEVER;
        };
        if (value[msName] !== undefined) return reject(`must not be combined with ${msName}`);
        const { issues, output } = v.safeParse(
          entries[msName] as v.GenericSchema,
          parseDuration(String(text)),
        );
        // The message has the range in milliseconds: `must be from 0 to 60000`.
        if (issues !== undefined) {
          return reject(issues[0].message.replace(/\d+/g, (ms) => formatDuration(Number(ms))));
        }
        delete value[name];
        value[msName] = output;
      }
      return value as v.InferOutput<typeof object>;
    }),
  );
}
