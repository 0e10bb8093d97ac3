/** Schemas of fields that several resources, operations and the seed share. */
import * as v from 'valibot';
import { LAST_SCHEDULE_TIME } from '../domain/clock.ts';
import { findCustomHeaderProblem } from '../domain/delivery-headers.ts';
import { ANY_EVENT_TYPE_PATTERN, EVENT_TYPE_MAX_LENGTH } from '../domain/event.ts';
import { describeIdProblem, type IdKind, idPatterns, nounOf, toExampleId } from '../domain/ids.ts';
import { VISIBLE_CHARACTER } from '../domain/invisible-characters.ts';
import { isObject } from '../domain/json.ts';

/** The parts of a description. Options show the summary, and the documents all parts. None has a period at its end. */
export interface FieldText {
  readonly summary: string;
  /** What the value is if it is missing in a request. */
  readonly defaultText?: string;
  /** Further sentences. */
  readonly detail?: string;
}

/**
 * A schema with its description for the OpenAPI documents and the tools. The type stays the same, because the text would make the
 * type declarations of the package several times as long. The build empties the texts in the page, which does not show them.
 * @param example value in the generated examples, if it does not follow from the schema. The example of a request contains an
 *   optional field only if the field has an example.
 */
export function described<Schema extends v.GenericSchema>(
  text: string | FieldText,
  schema: Schema,
  example?: v.InferInput<Schema>,
): Schema {
  const description = typeof text === 'string' ? text : joinText(text);
  if (description === '') return schema;
  const pipe: unknown[] = [schema, v.description(description)];
  if (example !== undefined) pipe.push(v.examples([example]));
  // Not `v.pipe`, which would add a step to each validation.
  return { ...schema, pipe };
}

/** `Data of the event (default: an empty object). Its numbers stay as they were sent.` */
function joinText({ summary, defaultText, detail }: FieldText): string {
  if (summary === '') return '';
  const parenthesis = defaultText === undefined ? '' : ` (default: ${defaultText})`;
  return [`${summary}${parenthesis}.`, ...(detail === undefined ? [] : [`${detail}.`])].join(' ');
}

/**
 * The schema of a resource, which the OpenAPI documents describe once. `pipe` in the type prevents calls of `v.pick` and `v.omit`,
 * which would have no effect.
 */
export function resource<const Entries extends v.ObjectEntries>(text: string, entries: Entries) {
  return described(text, v.object(entries)) as v.ObjectSchema<Entries, undefined> & {
    readonly pipe?: readonly unknown[];
  };
}

export const noInput = v.strictObject({});

export const idOf = (kind: IdKind) =>
  v.pipe(
    v.string(),
    v.regex(idPatterns[kind], ({ input }) => describeIdProblem(input, kind)),
    v.examples([toExampleId(kind)]),
  );
/** The `{id}` in the path of an operation. The message of an error says whether its form is valid. */
export const idField = (kind: IdKind, text = `ID of the ${nounOf(kind)}.`) => ({
  id: described(text, v.string(), toExampleId(kind)),
});
export const Timestamp = v.pipe(
  v.string(),
  v.isoTimestamp('must be an ISO 8601 time in UTC'),
  v.examples(['2026-11-20T14:05:00.000Z']),
);
/** A time that a schedule clock can show. */
export const ScheduleTime = v.pipe(
  Timestamp,
  v.check(
    (text) => Date.parse(text) >= 0 && Date.parse(text) <= LAST_SCHEDULE_TIME,
    'must be from 1970-01-01 to 9999-01-01',
  ),
);
export const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
export const JsonObject = v.custom<Record<string, unknown>>(isObject, 'must be a JSON object');
/** The schema of `Hint` in `errors.ts`. */
export const Hint = described(
  'What to do next.',
  v.object({
    text: described('What to do.', v.string()),
    command: described(
      'Command line that does it. Words in capitals, such as `SECRET`, stand for values that you insert.',
      v.optional(v.string()),
    ),
  }),
);
export const Headers = v.pipe(
  v.record(v.string(), v.string()),
  v.examples([{ 'content-type': 'application/json' }]),
);
export const Url = v.pipe(
  v.string(),
  v.metadata({ jsonSchema: { format: 'uri' } }),
  v.examples(['http://localhost:3000/webhooks']),
);

export const NonEmptyText = v.pipe(v.string(), v.minLength(1, 'must not be empty'));

const EXAMPLE_EVENT_TYPE = 'order.shipped';

/** An event type of this form. @param message completes the name of the field */
export function eventTypeOf(pattern: RegExp, message: string, example = EXAMPLE_EVENT_TYPE) {
  return v.pipe(
    v.string(),
    v.maxLength(EVENT_TYPE_MAX_LENGTH, message),
    v.regex(pattern, message),
    v.examples([example]),
  );
}

/** An event type of any sender. */
export const EventType = eventTypeOf(
  ANY_EVENT_TYPE_PATTERN,
  `must be an event type, such as ${EXAMPLE_EVENT_TYPE}`,
);
/** In a response. */
export const StoredEventType = v.pipe(
  v.string(),
  v.metadata({ jsonSchema: { pattern: ANY_EVENT_TYPE_PATTERN.source } }),
  v.examples([EXAMPLE_EVENT_TYPE]),
);

const NAME_LENGTH_MESSAGE = 'must be 1 to 200 characters long';
/** The name of a workspace. */
export const Name = v.pipe(
  v.string(),
  v.minLength(1, NAME_LENGTH_MESSAGE),
  v.maxLength(200, NAME_LENGTH_MESSAGE),
  // Also without unpaired surrogates (`\p{Cs}`), which UTF-8 cannot encode.
  v.regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters'),
  v.regex(VISIBLE_CHARACTER, 'must contain a visible character'),
);

/** Headers that an endpoint adds to its deliveries, in addition to those of §6. */
export const ExtraHeaders = v.pipe(
  v.record(v.string(), v.string()),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const [name, value] of Object.entries(dataset.value)) {
      const problem = findCustomHeaderProblem(name, value);
      if (problem !== null) addIssue({ message: `cannot be added: ${problem}` });
    }
  }),
);

/** An endpoint secret that the user chooses. */
export const Secret = v.pipe(
  v.string(),
  v.regex(/^[\x21-\x7e]{16,200}$/, 'must be 16 to 200 visible ASCII characters'),
);
