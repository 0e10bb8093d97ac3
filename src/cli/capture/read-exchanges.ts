/** Reads the HTTP exchanges of a recording: HAR, or the NDJSON of `svc deliveries export`. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import * as v from 'valibot';
import { AttemptDetail } from '../../contract/delivery-schemas.ts';
import { HarEntry, toAttemptEntry } from '../../contract/har-entry.ts';
import { parseUrl } from '../../domain/http-url.ts';
import { REMOVED } from '../../domain/secret-remover.ts';
import type { Exchange, RecordedBody, RecordedHeaders } from '../../parity/exchange.ts';
import type { CaptureSource } from './capture-source.ts';
import { readHar } from './har-capture.ts';
import { readNdjson } from './ndjson-capture.ts';

/** The fields of an exported delivery that a comparison needs. */
const Line = v.object({ attempts: v.array(AttemptDetail) });

/** @throws SvcError `usage` with the first invalid entry or line; `interrupted` */
export async function readExchanges(source: CaptureSource, signal: AbortSignal): Promise<Exchange[]> {
  const entries = readHar(source);
  if (entries !== null)
    return entries.flatMap(({ entry, position }) => toExchange(entry, source.name, position));
  const exchanges: Exchange[] = [];
  for await (const { position, delivery } of readNdjson(source, Line, signal)) {
    for (const attempt of delivery.attempts) {
      const entry = v.parse(HarEntry, toAttemptEntry(attempt));
      exchanges.push(...toExchange(entry, source.name, `${position}, attempt ${attempt.number}`));
    }
  }
  return exchanges;
}

/** None without a valid URL. */
function toExchange(recorded: HarEntry, file: string, entry: string): Exchange[] {
  const { request, response, _attempt: attempt, _svc: svc } = recorded;
  const url = parseUrl(request.url);
  if (url === null) return [];
  const [headers, responseHeaders] = [toHeaders(request.headers), toHeaders(response?.headers ?? [])];
  const body = toBody(request.postData, headers);
  const size = request.bodySize ?? 0;
  return [
    {
      ...{ file, entry, url, headers, responseHeaders },
      at: recorded.startedDateTime,
      durationMs: recorded.time ?? null,
      method: request.method,
      // Some programs record only the beginning of a body. -1 and 0 are sizes that are not known.
      body: size > 0 ? { ...body, isComplete: body.isComplete && body.bytes === size, bytes: size } : body,
      status: Math.max(0, response?.status ?? 0),
      responseBody: toBody(response?.content, responseHeaders),
      error: response?._error ?? '',
      attempt: attempt && { dueAt: attempt.scheduled_at, isManual: attempt.trigger === 'manual' },
      keyScopes: svc?.key_scopes,
    },
  ];
}

/** Lower-case names, without the pseudo-headers of HTTP/2. The values of a repeated header are joined. */
function toHeaders(pairs: HarEntry['request']['headers']): RecordedHeaders {
  const headers = new Map<string, string>();
  for (const { name, value } of pairs ?? []) {
    const key = name.toLowerCase();
    const earlier = headers.get(key);
    if (!key.startsWith(':')) headers.set(key, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return headers;
}

const decompressors: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
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
