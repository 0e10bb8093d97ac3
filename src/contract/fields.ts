/** Schemas of fields that several resources, operations and the seed share. */
import * as v from 'valibot';
import { LAST_SCHEDULE_TIME } from '../domain/clock.ts';
import { findCustomHeaderProblem } from '../domain/delivery-headers.ts';
import { EVENT_TYPE_MAX_LENGTH, EVENT_TYPE_PATTERN } from '../domain/event.ts';
import { describeIdProblem, type IdKind, idPatterns, toExampleId } from '../domain/ids.ts';
import { VISIBLE_CHARACTER } from '../domain/invisible-characters.ts';
import { isObject } from '../domain/json.ts';

/** The input of an operation without fields. */
export const noInput = v.strictObject({});

/** An ID of this kind. */
export const idOf = (kind: IdKind) =>
  v.pipe(
    v.string(),
    v.regex(idPatterns[kind], ({ input }) => describeIdProblem(input, kind)),
    v.metadata({ examples: [toExampleId(kind)] }),
  );
export const Timestamp = v.pipe(v.string(), v.isoTimestamp('must be an ISO 8601 time in UTC'));
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
export const Headers = v.record(v.string(), v.string());

export const EVENT_TYPE_MESSAGE = 'must have the form <noun>.<verb> in lowercase, such as order.shipped';
export const EventType = v.pipe(
  v.string(),
  v.maxLength(EVENT_TYPE_MAX_LENGTH, EVENT_TYPE_MESSAGE),
  v.regex(EVENT_TYPE_PATTERN, EVENT_TYPE_MESSAGE),
);

/** Matches an event type, or the wildcard (§2). For JSON Schema. */
export const SUBSCRIPTION_PATTERN = `^\\*$|${EVENT_TYPE_PATTERN.source}`;

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

const SPEED_MESSAGE = 'must be from 0.001 to 1000000';

/** Schedule seconds per real second. */
export const Speed = v.pipe(
  v.number(),
  v.minValue(0.001, SPEED_MESSAGE),
  v.maxValue(1_000_000, SPEED_MESSAGE),
);
