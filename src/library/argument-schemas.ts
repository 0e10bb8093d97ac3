/** Schemas for arguments that several calls of the library accept. */
import * as v from 'valibot';
import { settledStatuses } from '../domain/delivery.ts';
import { parseDuration, parseTime } from '../domain/duration.ts';
import { parseUrl } from '../domain/http-url.ts';
import { isObject } from '../domain/json.ts';
import { accept, text } from '../validation/value-schemas.ts';

/** A number of milliseconds, or a string such as `90s`, `35m`, `1h30m` or `3d`. */
export type Duration = number | string;

/**
 * Default timeout of the library, in real time. It is less than the five seconds after which most test runners end a test,
 * so that the message of the wait is shown.
 */
export const DEFAULT_TIMEOUT_MS = 4_000;

/** A schema for each property of an interface, so that an option without a schema is a type error. */
export type SchemasOf<Options> = Readonly<Record<keyof Options, v.GenericSchema>>;

export const OptionalString = v.optional(v.string());
export const OptionalBoolean = v.optional(v.boolean());

export const DurationValue = accept<Duration>(
  'a number of milliseconds, or a string such as 90s, 5m, 1h30m or 3d',
  (value) => {
    const ms = typeof value === 'string' ? parseDuration(value) : value;
    return typeof ms === 'number' && Number.isFinite(ms) && ms >= 0;
  },
);

/** Whole milliseconds. @param duration accepted by {@link DurationValue} */
export function toMs(duration: Duration): number {
  return typeof duration === 'number' ? Math.ceil(duration) : Number(parseDuration(duration));
}

export const HttpUrl = accept<string>('an http or https URL', (value) => {
  const url = typeof value === 'string' ? parseUrl(value) : null;
  return url !== null && /^https?:$/.test(url.protocol);
});
export const Time = accept<Date | string>('a Date or an ISO 8601 time with Z or an offset', (value) =>
  value instanceof Date
    ? !Number.isNaN(value.getTime())
    : typeof value === 'string' && !Number.isNaN(parseTime(value)),
);

/** Any function. A schema cannot check what it accepts and returns. */
export const Callback = accept<() => unknown>('a function', (value) => typeof value === 'function');
export const Id = text('an ID');
export const EventTypeName = text('an event type, such as order.shipped');
export const Scheme = accept<string>(
  'a scheme name or a scheme object',
  (value) => typeof value === 'string' || isObject(value),
);
export const OneOrMoreSecrets = accept<string>('a secret or an array of secrets', (value) => {
  const secrets = [value].flat();
  return secrets.length > 0 && secrets.every((secret) => typeof secret === 'string' && secret !== '');
});

export const Milliseconds = accept<number>(
  'a number of milliseconds, 0 or more',
  (value) => typeof value === 'number' && value >= 0,
);
export const AnyObject = accept<object>('an object', isObject);

export const OptionalDuration = v.optional(DurationValue);
export const TimeoutOptionsSchema = v.optional(v.strictObject({ timeout: OptionalDuration }));
export const OptionalSettledStatus = v.optional(v.picklist(settledStatuses));

/** The fields of a list operation that the library sets. */
export const fieldsSetByLibrary = ['workspace_id', 'limit', 'starting_after'] as const;
