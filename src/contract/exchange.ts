/** A recorded HTTP exchange, in the form that an import and a comparison need, and how it is read from a HAR entry. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Scope } from '../domain/credentials.ts';
import { parseUrl } from '../domain/http-url.ts';
import { REMOVED } from '../domain/secret-remover.ts';
import type { HarEntry } from './har-entry.ts';

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
  /** When an attempt of a delivery was due. Only exports of svc say when; default: `at`. */
  readonly dueAt: number;
  /** Whether a replay caused the attempt. False if the recording does not say. */
  readonly isManual: boolean;
  /** When the delivery was created. Only exports of svc say when; default: `at`. */
  readonly createdAt: number;
  /** Scopes of the API key, if they are known. Only `svc gaps record` writes them. */
  readonly keyScopes: readonly Scope[] | undefined;
  /** Whether `svc gaps record` sent the request. */
  readonly isProbe: boolean;
}

/** @returns null without a valid URL */
export function toExchange(recorded: HarEntry, file: string, entry: string): Exchange | null {
  const { request, response, startedDateTime: at, _delivery, _attempt, _svc } = recorded;
  const url = parseUrl(request.url);
  if (url === null) return null;
  const [headers, responseHeaders] = [toHeaders(request.headers), toHeaders(response?.headers)];
  const body = toBody(request.postData, headers);
  const size = request.bodySize ?? 0;
  return {
    ...{ file, entry, at, url, headers, responseHeaders },
    durationMs: recorded.time ?? 0,
    method: request.method,
    // Some programs record only the beginning of a body. -1 and 0 are sizes that are not known.
    body: size > 0 ? { ...body, isComplete: body.isComplete && body.bytes === size, bytes: size } : body,
    status: Math.max(0, response?.status ?? 0),
    responseBody: toBody(response?.content, responseHeaders),
    error: response?._error ?? '',
    dueAt: _attempt?.scheduled_at ?? at,
    isManual: _attempt?.trigger === 'manual',
    createdAt: _delivery?.created_at ?? at,
    keyScopes: _svc?.key_scopes,
    isProbe: _svc !== undefined,
  };
}

/** Lower-case names, without the pseudo-headers of HTTP/2. The values of a repeated header are joined. */
function toHeaders(pairs: HarEntry['request']['headers'] | undefined): RecordedHeaders {
  const headers = new Map<string, string>();
  for (const { name, value } of pairs ?? []) {
    const key = name.toLowerCase();
    const earlier = headers.get(key);
    if (!key.startsWith(':')) headers.set(key, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return headers;
}

/** Wrapped, so that `node:zlib` loads only when a capture needs it. */
const decompressors: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gunzipSync(bytes),
  deflate: (bytes) => inflateSync(bytes),
  br: (bytes) => brotliDecompressSync(bytes),
};

/** Most programs record a decompressed body, and some the compressed bytes in base64. */
function toBody(body: HarEntry['request']['postData'], headers: RecordedHeaders): RecordedBody {
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
