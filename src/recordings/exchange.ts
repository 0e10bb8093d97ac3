/** A recorded HTTP exchange, in the form that an import and a comparison need, and how it is read from HAR and from a line of svc. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import * as v from 'valibot';
import { type Scope, scopes } from '../domain/credentials.ts';
import { parseUrl } from '../domain/http-url.ts';
import { REMOVED } from '../domain/secret-remover.ts';

/** By name in lower case. */
type RecordedHeaders = ReadonlyMap<string, string>;

export interface RecordedBody {
  readonly content: string | Buffer;
  /** False if the recording may have shortened or converted it. */
  readonly isComplete: boolean;
  /** Size of what was sent; null if it is not known. */
  readonly bytes: number | null;
}

export interface Exchange {
  readonly file: string;
  /** Where it is in the file: `entry 3`, `line 12, attempt 2`. */
  readonly entry: string;
  /** Wall time, milliseconds since 1970. */
  readonly at: number;
  readonly durationMs: number;
  readonly method: string;
  readonly url: URL;
  readonly headers: RecordedHeaders;
  readonly body: RecordedBody;
  /** 0 without a response. */
  readonly status: number;
  readonly responseHeaders: RecordedHeaders;
  readonly responseBody: RecordedBody;
  /** Why there is no response, as the recording describes it. */
  readonly error: string;
  /** When an attempt of a delivery was due. Only svc writes it; default: `at`. */
  readonly dueAt: number;
  /** Whether a replay caused the attempt. False if the recording does not say. */
  readonly isManual: boolean;
  /** Scopes of the API key, if they are known. Only `svc gaps record` writes them. */
  readonly keyScopes: readonly Scope[] | undefined;
}

const Time = v.pipe(
  v.string(),
  v.check((text) => !Number.isNaN(Date.parse(text)), 'must be an ISO 8601 time'),
  v.transform(Date.parse),
);
const Pairs = v.nullish(v.array(v.object({ name: v.string(), value: v.string() })), []);
const Body = v.nullish(v.object({ text: v.nullish(v.string()), encoding: v.nullish(v.string()) }));
const Headers = v.pipe(
  v.record(v.string(), v.string()),
  v.transform((headers) => Object.entries(headers).map(([name, value]) => ({ name, value }))),
);

/** The fields of an entry of HAR 1.1 or 1.2 that svc reads. Programs omit some, or write null. Chrome writes `_error`. */
export const HarEntry = v.object({
  startedDateTime: Time,
  time: v.nullish(v.number()),
  request: v.object({
    method: v.string(),
    url: v.string(),
    headers: Pairs,
    postData: Body,
    bodySize: v.nullish(v.number()),
  }),
  response: v.nullish(
    v.object({
      status: v.nullish(v.number()),
      headers: Pairs,
      content: Body,
      _error: v.nullish(v.string()),
    }),
  ),
});

/** A request in NDJSON: of `svc gaps record`, or an attempt of an exported delivery. */
export const RequestLine = v.object({
  sent_at: Time,
  duration_ms: v.number(),
  response_status: v.nullable(v.number()),
  error: v.nullish(v.string(), ''),
  request: v.object({
    method: v.optional(v.string(), 'POST'),
    url: v.string(),
    headers: Headers,
    body: v.string(),
  }),
  response: v.nullable(
    v.object({ headers: Headers, body: v.string(), encoding: v.optional(v.string(), 'utf8') }),
  ),
  scheduled_at: v.optional(Time),
  trigger: v.optional(v.string()),
  key_scopes: v.optional(v.array(v.picklist(scopes))),
});
export type RequestLine = v.InferInput<typeof RequestLine>;

/** An exported delivery in NDJSON. */
export const DeliveryLine = v.object({
  created_at: Time,
  body: v.string(),
  attempts: v.optional(v.array(RequestLine), []),
});

type Position = Pick<Exchange, 'file' | 'entry'>;

/** @returns null without a valid URL */
export function readHarEntry(recorded: v.InferOutput<typeof HarEntry>, position: Position): Exchange | null {
  const { request, response, startedDateTime: at } = recorded;
  const url = parseUrl(request.url);
  if (url === null) return null;
  const [headers, responseHeaders] = [toHeaders(request.headers), toHeaders(response?.headers)];
  const body = toBody(request.postData, headers);
  const size = request.bodySize ?? 0;
  return {
    ...position,
    at,
    url,
    headers,
    responseHeaders,
    dueAt: at,
    durationMs: recorded.time ?? 0,
    method: request.method,
    // Some programs record only the beginning of a body. -1 and 0 are sizes that are not known.
    body: size > 0 ? { ...body, isComplete: body.isComplete && body.bytes === size, bytes: size } : body,
    status: Math.max(0, response?.status ?? 0),
    responseBody: toBody(response?.content, responseHeaders),
    error: response?._error ?? '',
    isManual: false,
    keyScopes: undefined,
  };
}

/** @returns null without a valid URL */
export function readRequestLine(
  line: v.InferOutput<typeof RequestLine>,
  position: Position,
): Exchange | null {
  const { request, response, sent_at: at, scheduled_at: dueAt = at } = line;
  const url = parseUrl(request.url);
  if (url === null) return null;
  const [headers, responseHeaders] = [toHeaders(request.headers), toHeaders(response?.headers)];
  return {
    ...position,
    at,
    dueAt,
    url,
    headers,
    responseHeaders,
    durationMs: line.duration_ms,
    method: request.method,
    body: toBody({ text: request.body }, headers),
    status: line.response_status ?? 0,
    responseBody: toBody(response && { text: response.body, encoding: response.encoding }, responseHeaders),
    error: line.error ?? '',
    isManual: line.trigger === 'manual',
    keyScopes: line.key_scopes,
  };
}

/** Lower-case names, without the pseudo-headers of HTTP/2. The values of a repeated header are joined. */
function toHeaders(pairs: v.InferOutput<typeof Pairs> | undefined): RecordedHeaders {
  const headers = new Map<string, string>();
  for (const { name, value } of pairs ?? []) {
    const key = name.toLowerCase();
    const earlier = headers.get(key);
    if (!key.startsWith(':')) headers.set(key, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return headers;
}

/** Wrapped, so that `node:zlib` loads only when a recording needs it. */
const decompressors: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gunzipSync(bytes),
  deflate: (bytes) => inflateSync(bytes),
  br: (bytes) => brotliDecompressSync(bytes),
};

/** Most programs record a decompressed body, and some the compressed bytes in base64. */
function toBody(body: v.InferOutput<typeof Body>, headers: RecordedHeaders): RecordedBody {
  const text = body?.text ?? '';
  if (body?.encoding !== 'base64') {
    const isComplete = !text.includes('\uFFFD') && !text.includes(REMOVED);
    return { content: text, isComplete, bytes: isComplete ? Buffer.byteLength(text) : null };
  }
  const bytes = Buffer.from(text, 'base64');
  const decompress = decompressors[headers.get('content-encoding') ?? ''];
  let content: Buffer = bytes;
  try {
    content = decompress?.(bytes) ?? bytes;
  } catch {
    // Already decompressed.
  }
  return { content, isComplete: true, bytes: content.length };
}
