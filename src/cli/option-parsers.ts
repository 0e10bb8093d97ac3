/** Parsers of option values. Each says what it expects; commander turns that into a usage error. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { findHeaderProblem } from '../domain/delivery-headers.ts';
import { parseDuration } from '../domain/duration.ts';
import { toForwardUrl } from '../domain/forward-url.ts';
import { VISIBLE_CHARACTER } from '../domain/invisible-characters.ts';
import { parseRelativeTime } from '../domain/relative-time.ts';
import { parseTimestamp } from '../domain/signature/timestamp.ts';
import { checkWebhookUrl } from '../domain/webhook-url.ts';

/** `90s`, `5m`, `1h30m`, in milliseconds. */
export function parseDurationMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === null) {
    throw new InvalidArgumentError(suggestUnit(text) ?? 'Write a duration such as 90s, 5m, 2h, 3d or 1h30m.');
  }
  return ms;
}

/** For a number that lacks its unit; null for anything else. */
function suggestUnit(text: string): string | null {
  const number = text.trim();
  return /^\d+(?:\.\d+)?$/.test(number) ? `Did you mean ${number}m?` : null;
}

/** `50/s`, in calls a second. */
export function parseRate(text: string): number {
  const perSecond = Number(text.replace(/\/s$/, ''));
  if (!(perSecond > 0)) throw new InvalidArgumentError('A rate is written 50/s.');
  return perSecond;
}

/** A duration before now or a time, passed on as it was written. */
export function parseSince(text: string): string {
  if (Number.isNaN(parseRelativeTime(text, 0))) {
    throw new InvalidArgumentError(
      suggestUnit(text) ?? 'Write a duration such as 1h, or a time such as 2026-11-20T12:00:00Z.',
    );
  }
  return text;
}

/** A point in time, in milliseconds since 1970, given what now is. */
export type RelativeTime = (now: number) => number;

/** `-6m`, `+30s`, `2026-11-20T12:00:00Z`, or seconds since 1970. */
export function parseTimeOption(text: string): RelativeTime {
  const distance = /^[+-]/.test(text) ? parseDuration(text.slice(1)) : null;
  if (distance !== null) return (now) => (text.startsWith('-') ? now - distance : now + distance);
  const at = parseTimestamp(text);
  if (at !== null) return () => at;
  throw new InvalidArgumentError('Write -6m, +30s, 2026-11-20T12:00:00Z, or seconds since 1970.');
}

/** A parser of whole numbers from `min` to `max`. */
export function wholeNumberParser(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^-?\d+$/.test(text) || value < min || value > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };
}

/** The URL of a receiver, from a port or an address: `3000`, `localhost:3000/webhooks`. */
export function parseReceiverUrl(text: string): string {
  const url = toForwardUrl(text);
  if (url === null) throw new InvalidArgumentError('Write a port or a URL: 3000, localhost:3000/webhooks.');
  return url;
}

/** The same for an endpoint; what no emulator accepts is refused here. */
export function parseWebhookUrl(text: string): string {
  const url = parseReceiverUrl(text);
  const check = checkWebhookUrl(url, 'local');
  if (!check.ok) throw new InvalidArgumentError(`It ${check.problem}.`);
  return url;
}

/** The name of a workspace. */
export function parseWorkspaceName(text: string): string {
  if (!VISIBLE_CHARACTER.test(text)) throw new InvalidArgumentError('It must contain a visible character.');
  return text;
}

/** `a,b` and repeated options alike, into one list. */
export function parseList(text: string, before: readonly string[] = []): string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.includes('')) throw new InvalidArgumentError('Separate the items with single commas.');
  return [...before, ...items];
}

/** Repeated options, each value as it is. */
export function collectValues(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** `Name: value`; repeated ones into one object. */
export function parseHeaders(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const colon = text.indexOf(':');
  if (colon === -1) throw new InvalidArgumentError("Write it like 'Authorization: Bearer abc'.");
  const [name, value] = [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
  const isSame = (other: string) => other.toLowerCase() === name.toLowerCase();
  const problem = Object.keys(before).some(isSame)
    ? `${name} is given twice`
    : findHeaderProblem(name, value);
  if (problem !== null) throw new InvalidArgumentError(`The header cannot be added: ${problem}.`);
  return { ...before, [name]: value };
}

/** `limit` and `startingAfter` of every list. */
export interface PageOptions {
  readonly limit?: number;
  readonly startingAfter?: string;
}

export function addPageOptions(command: Command, maxLimit = 1000): Command {
  return command
    .option('--limit <n>', `how many to list, 1 to ${maxLimit}`, wholeNumberParser(1, maxLimit))
    .option('--starting-after <id>', 'go on after this one: the end_cursor of the page before');
}

/** The members of a request that {@link PageOptions} stand for. */
export function toPageParameters({ limit, startingAfter }: PageOptions) {
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(startingAfter === undefined ? {} : { starting_after: startingAfter }),
  };
}

export function choiceOption(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices);
}
