/** Parsers of option values. */

import { InvalidArgumentError } from 'commander';
import type * as v from 'valibot';
import { addHeaderLine } from '../domain/delivery-headers.ts';
import { parseDuration } from '../domain/duration.ts';
import { formatHint } from '../domain/errors.ts';
import { isEventType, WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { isHttpUrl } from '../domain/http-url.ts';
import { describeAcceptedId, type IdKind, idPatterns, suggestWhereToLook } from '../domain/ids.ts';
import { isAssignment } from '../domain/json-path.ts';
import { findWebhookUrlProblem, toForwardUrl } from '../domain/webhook-url.ts';
import { fromText } from '../resources/configured-value.ts';
import { parse } from '../resources/validate.ts';
import { duration, RelativeTime, wholeNumberFrom } from '../resources/value-schemas.ts';
import { parseTimestamp } from '../signature/signature-header.ts';

/** `90s`, `5m`, `1h30m`, in milliseconds. */
export const parseDurationMs = durationParser();

/** Returns a parser of durations. @param msSchema accepts the milliseconds (default: all) */
export function durationParser(msSchema?: v.GenericSchema) {
  return schemaParser(duration(msSchema));
}

/** A time, or a duration before now. Stays text, because only the emulator knows the schedule time. */
export const parseTimeOrAge = schemaParser(RelativeTime);

/** `50/s`, as the number per second. */
export function parseRate(text: string): number {
  const perSecond = Number(text.replace(/\/s$/, ''));
  if (!(perSecond > 0)) throw new InvalidArgumentError('Pass a rate such as 50/s.');
  return perSecond;
}

/** Converts the current time to another time, both in milliseconds since 1970. */
export type TimeFromNow = (now: number) => number;

/** `-6m`, `+30s`, `2026-11-20T12:00:00Z`, or seconds since 1970. */
export function parseTimeOption(text: string): TimeFromNow {
  const offset = /^[+-]/.test(text) ? parseDuration(text.slice(1)) : null;
  if (offset !== null) return (now) => (text.startsWith('-') ? now - offset : now + offset);
  const time = parseTimestamp(text);
  if (time !== null) return () => time;
  throw new InvalidArgumentError(
    'Pass an offset such as -6m or +30s, a time such as 2026-11-20T12:00:00Z, or seconds since 1970.',
  );
}

export function schemaParser<Schema extends v.GenericSchema>(schema: Schema) {
  return (text: string): v.InferOutput<Schema> =>
    parse(schema, fromText(schema, text), ({ expected, problem }) => {
      const hint = expected === null ? `Change the value: it ${problem}.` : `Pass ${expected}.`;
      return new InvalidArgumentError(hint);
    });
}

export function wholeNumberParser(min: number, max?: number) {
  return schemaParser(wholeNumberFrom(min, max));
}

/** Checks a URL, and returns it unchanged. */
export function urlOption(text: string): string {
  if (isHttpUrl(text)) return text;
  throw new InvalidArgumentError('Pass a URL such as https://api.example.com/v1.');
}

/** The URL of a receiver, from a port or an address: `3000`, `localhost:3000/webhooks`. */
export function parseReceiverUrl(text: string): string {
  const url = toForwardUrl(text);
  if (url === null)
    throw new InvalidArgumentError(
      'Pass a port or a URL, such as 3000, localhost:3000/webhooks or http://app.',
    );
  return url;
}

/** Like {@link parseReceiverUrl}, and rejects URLs that the API rejects in every profile. */
export function parseWebhookUrl(text: string): string {
  const url = parseReceiverUrl(text);
  const problem = findWebhookUrlProblem(url, 'local');
  if (problem !== null) throw new InvalidArgumentError(`Change the URL: it ${problem}.`);
  return url;
}

/** Returns a parser of the IDs of a kind. Whether the resource exists is up to the emulator. */
export function idParser(kind: IdKind) {
  return (text: string): string => {
    if (idPatterns[kind].test(text)) return text;
    const form = `Pass ${describeAcceptedId(kind)}.`;
    throw new InvalidArgumentError(`${form} ${formatHint(suggestWhereToLook('', kind))}`);
  };
}

/** Collects `a,b` and repeated options into one list. */
export function parseList(text: string, previous: readonly string[] = []): string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.includes('')) throw new InvalidArgumentError('Separate the items with single commas.');
  return [...previous, ...items];
}

/** Collects event types or `*`, as {@link parseList} does. */
export function parseSubscriptions(text: string, previous: readonly string[] = []): string[] {
  const types = parseList(text);
  if (!types.every((type) => type === WILDCARD_SUBSCRIPTION || isEventType(type))) {
    throw new InvalidArgumentError('Pass event types such as order.shipped, or *.');
  }
  return [...previous, ...types];
}

export function collectValues(text: string, previous: readonly string[] = []): string[] {
  return [...previous, text];
}

/** Collects repeated `path=value` options into a list. */
export function collectAssignments(text: string, previous: readonly string[] = []): string[] {
  if (!isAssignment(text)) throw new InvalidArgumentError('Pass path=value, such as items[0].sku=MUG.');
  return collectValues(text, previous);
}

/** Collects repeated `Name: value` options into one object. */
export function parseHeaders(
  text: string,
  previous: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const headers = addHeaderLine(text, previous);
  if (typeof headers === 'string') throw new InvalidArgumentError(`Pass another header: ${headers}.`);
  return headers;
}

export function choiceParser<Choice extends string>(choices: readonly Choice[]) {
  return (text: string): Choice => {
    const choice = choices.find((each) => each === text);
    if (choice !== undefined) return choice;
    throw new InvalidArgumentError(`Choose one of: ${choices.join(', ')}`);
  };
}
