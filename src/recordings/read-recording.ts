/** Reads a recording: HAR 1.1 and 1.2 from browsers and proxies, or NDJSON from `svc deliveries export` and `svc gaps record`. */
import { SvcError } from '../domain/errors.ts';
import { parseUrl } from '../domain/http-url.ts';
import { isObject, tryParseJson } from '../domain/json.ts';
import { formatCount } from '../domain/message-parts.ts';
import { REMOVED } from '../domain/secret-remover.ts';
import { decodeBody } from '../platform/decode-body.ts';
import type { Attempt } from '../resources/attempt.ts';

/** Size limit of a recording. docs/exporting.md states it. */
export const RECORDING_LIMIT_BYTES = 256 * 2 ** 20;

export type Fields = Readonly<Record<string, unknown>>;
/** By name in lower case. */
type RecordedHeaders = ReadonlyMap<string, string>;

/** A request with its response. */
export interface Exchange {
  readonly file: string;
  /** Where it is in the file: `entry 3`, `line 12, attempt 2`. */
  readonly entry: string;
  /** Wall time, milliseconds since 1970. */
  readonly at: number;
  /** When an attempt of a delivery was due. Only svc writes it; default: `at`. */
  readonly dueAt: number;
  readonly durationMs: number;
  /** Whether a replay caused the attempt. False if the recording does not say. */
  readonly isReplay: boolean;
  readonly method: string;
  readonly url: URL;
  readonly headers: RecordedHeaders;
  readonly body: string | Buffer;
  /** False if the recording may have shortened or changed the body. */
  readonly isBodyComplete: boolean;
  /** 0 without a response. */
  readonly status: number;
  readonly responseHeaders: RecordedHeaders;
  readonly responseText: string;
}

/** A line of `svc gaps record`. The attempts of an exported delivery have the same fields. */
export interface RequestLine extends Pick<Attempt, 'sent_at' | 'duration_ms' | 'response_status'> {
  readonly request: Pick<Attempt['request'], 'url' | 'headers' | 'body'> & { readonly method: string };
  readonly response: Pick<NonNullable<Attempt['response']>, 'headers' | 'body'> | null;
}

export interface Recording {
  /** The name for messages. */
  readonly file: string;
  /** Each request or exported delivery. A delivery has the time when it was created, and no response. */
  readonly entries: readonly Exchange[];
  /** With the attempts of deliveries in their place. */
  readonly exchanges: readonly Exchange[];
  /** How many entries were skipped, and the first one; null if none was. Programs write entries without a request or a time. */
  readonly warning: string | null;
}

/** @throws SvcError `usage` if it is neither HAR nor NDJSON */
export function parseRecording(text: string, file: string): Recording {
  const items = listItems(text);
  if (items === null) {
    throw new SvcError('usage', `${file} is not valid HAR or NDJSON.`, {
      hint: 'Pass HAR, or NDJSON from svc deliveries export or svc gaps record.',
    });
  }
  const read = items.map(([position, item]) => ({
    position,
    item,
    entry: readExchange(item, file, position),
  }));
  const skipped = read.filter(({ entry }) => entry.length === 0);
  const count = formatCount(skipped.length, 'invalid entry', 'invalid entries');
  const [first] = skipped;
  const warning = first === undefined ? null : `Skipped ${count} of ${file}, such as ${first.position}.`;
  return {
    file,
    entries: read.flatMap(({ entry }) => entry),
    exchanges: read.flatMap(({ entry, item }) => entry.flatMap((request) => listExchanges(request, item))),
    warning,
  };
}

/** The entries of HAR or the lines of NDJSON, each with its position; null for anything else. */
function listItems(text: string): readonly (readonly [position: string, item: Fields])[] | null {
  const { log } = toFields(tryParseJson(text));
  if (isObject(log)) {
    if (!Array.isArray(log.entries)) return null;
    return log.entries.map((item, index) => [`entry ${index + 1}`, toFields(item)]);
  }
  const lines = text.split('\n').map((line, index) => [`line ${index + 1}`, line.trim()] as const);
  const filled = lines.filter(([, line]) => line !== '');
  // The first line of other JSON is often only a bracket.
  if (filled[0] !== undefined && !/^\{\s*"/.test(filled[0][1])) return null;
  return filled.map(([position, line]) => [position, toFields(tryParseJson(line))]);
}

/** The request, or the attempts of an exported delivery. A delivery without an attempt is a request without a response. */
function listExchanges(request: Exchange, item: Fields): Exchange[] {
  const attempts = toArray(item.attempts).map(toFields);
  if (attempts.length === 0) return [request];
  return attempts.flatMap((attempt, index) =>
    readExchange(attempt, request.file, `${request.entry}, attempt ${index + 1}`),
  );
}

/**
 * Reads a line of svc, or an entry of HAR, which has other names. Programs omit fields, or write null.
 * @returns nothing without a valid URL or time
 */
function readExchange(line: Fields, file: string, entry: string): Exchange[] {
  const [request, response] = [toFields(line.request ?? line), toFields(line.response)];
  const { sent_at: sentAt = line.startedDateTime ?? line.created_at, duration_ms: durationMs = line.time } =
    line;
  const { response_status: status = response.status } = line;
  const [url, at] = [parseUrl(toText(request.url)), Date.parse(toText(sentAt))];
  if (url === null || Number.isNaN(at)) return [];
  const [headers, responseHeaders] = [readHeaders(request.headers), readHeaders(response.headers)];
  const body = readBody(request.postData ?? request, headers);
  // -1 and 0 are sizes that are not known.
  const size = toNumber(request.bodySize);
  const isText = typeof body === 'string';
  const exchange = {
    file,
    entry,
    at,
    dueAt: Date.parse(toText(line.scheduled_at)) || at,
    durationMs: toNumber(durationMs),
    isReplay: line.trigger === 'manual',
    method: toText(request.method) || 'POST',
    url,
    headers,
    body,
    isBodyComplete:
      !(isText && /\uFFFD/.test(body)) &&
      !body.includes(REMOVED) &&
      !(size > 0 && size !== Buffer.byteLength(body)),
    status: Math.max(0, toNumber(status)),
    responseHeaders,
    responseText: readBody(response.content ?? response, responseHeaders).toString(),
  };
  return [exchange];
}

/** From an object, or the list of HAR. Lower-case names, without the pseudo-headers of HTTP/2. The values of a repeated header are joined. */
function readHeaders(recorded: unknown): RecordedHeaders {
  const pairs = Array.isArray(recorded)
    ? recorded.map(toFields).map(({ name, value }) => [name, value])
    : Object.entries(toFields(recorded));
  const headers = new Map<string, string>();
  for (const [name, value] of pairs) {
    const key = toText(name).toLowerCase();
    const earlier = headers.get(key);
    if (key.startsWith(':')) continue;
    headers.set(key, earlier === undefined ? toText(value) : `${earlier}, ${toText(value)}`);
  }
  return headers;
}

/** Most programs record a decompressed body, and some the compressed bytes in base64. */
function readBody(message: unknown, headers: RecordedHeaders): string | Buffer {
  const { body, text = body, encoding } = toFields(message);
  if (encoding !== 'base64') return toText(text);
  const bytes = Buffer.from(toText(text), 'base64');
  return decodeBody(bytes, headers.get('content-encoding') ?? '', {
    isComplete: true,
    maxOutputLength: RECORDING_LIMIT_BYTES,
  });
}

/** The fields of a JSON object; none for any other value. */
export function toFields(json: unknown): Fields {
  return isObject(json) ? json : {};
}

export function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toNumber(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
