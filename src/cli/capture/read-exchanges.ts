/** Reads the HTTP exchanges of a recording: HAR, or the NDJSON of `svc deliveries export`. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import * as v from 'valibot';
import { Timestamp } from '../../contract/fields.ts';
import { ScopeName } from '../../contract/resources.ts';
import { parseUrl } from '../../domain/http-url.ts';
import { isJson } from '../../domain/json.ts';
import { SvcError } from '../../errors.ts';
import type { Exchange, RecordedBody, RecordedHeaders } from '../../parity/exchange.ts';
import { type CaptureSource, readLines } from './capture-source.ts';
import { parseHar } from './read-capture.ts';

export interface RecordedExchanges {
  readonly exchanges: readonly Exchange[];
  /** Number of entries that have no valid time, URL or method. */
  readonly invalidCount: number;
}

const Time = v.pipe(
  v.string(),
  v.transform(Date.parse),
  v.check((ms) => !Number.isNaN(ms)),
);
const Pairs = v.optional(v.array(v.object({ name: v.string(), value: v.string() })), []);
const Body = v.nullish(v.object({ text: v.nullish(v.string()), encoding: v.nullish(v.string()) }));

/** The fields of a HAR entry that are read. Programs omit some, or write null. */
const HarEntry = v.object({
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
    v.object({ status: v.nullish(v.number()), headers: Pairs, content: Body, _error: v.nullish(v.string()) }),
  ),
  _attempt: v.optional(v.object({ trigger: v.string(), scheduled_at: Time, error: v.nullish(v.string()) })),
  _svc: v.optional(v.object({ key_scopes: v.array(ScopeName) })),
});

const Headers = v.record(v.string(), v.string());
const Line = v.object({
  attempts: v.array(
    v.object({
      trigger: v.string(),
      scheduled_at: Timestamp,
      sent_at: Timestamp,
      duration_ms: v.number(),
      response_status: v.nullable(v.number()),
      error: v.nullable(v.string()),
      request: v.object({ url: v.string(), headers: Headers, body: v.string() }),
      response: v.nullable(v.object({ headers: Headers, body: v.string(), encoding: v.string() })),
    }),
  ),
});

/** @throws SvcError `usage` if the file is neither HAR nor NDJSON; `interrupted` */
export async function readExchanges(source: CaptureSource, signal: AbortSignal): Promise<RecordedExchanges> {
  const har = parseHar(source);
  if (har !== null) return readEntries(har.log.entries, source.name);
  const exchanges: Exchange[] = [];
  for await (const { position, bytes } of readLines(source)) {
    if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.', { cause: signal.reason });
    const text = bytes.toString('utf8').trim();
    if (text === '') continue;
    const line = v.safeParse(Line, isJson(text) ? JSON.parse(text) : null);
    if (!line.success) {
      throw createInvalidError(
        source.name,
        `${position} is neither HAR nor a delivery of svc deliveries export`,
      );
    }
    exchanges.push(
      ...line.output.attempts.flatMap((attempt, index) =>
        toExchange(attempt, source.name, `${position}, attempt ${index + 1}`),
      ),
    );
  }
  return { exchanges, invalidCount: 0 };
}

function createInvalidError(file: string, problem: string): SvcError {
  return new SvcError('usage', `${file}: ${problem}.`, {
    hint: 'Pass a HAR file, or export deliveries with: svc deliveries export --out deliveries.har',
  });
}

function readEntries(entries: unknown, file: string): RecordedExchanges {
  if (!Array.isArray(entries)) throw createInvalidError(file, 'log.entries must be an array');
  const exchanges = entries.flatMap((entry: unknown, index): Exchange[] => {
    const { success, output } = v.safeParse(HarEntry, entry);
    const url = success ? parseUrl(output.request.url) : null;
    if (!success || url === null) return [];
    const { request, response, _attempt: attempt, _svc: svc } = output;
    const [headers, responseHeaders] = [toHeaders(request.headers), toHeaders(response?.headers ?? [])];
    const body = toBody(request.postData, headers);
    const size = request.bodySize ?? 0;
    return [
      {
        file,
        entry: `entry ${index + 1}`,
        at: output.startedDateTime,
        durationMs: output.time ?? null,
        method: request.method,
        url,
        headers,
        // Some programs record only the beginning of a body. -1 and 0 are sizes that are not known.
        body: size > 0 ? { ...body, isComplete: body.isComplete && body.bytes === size, bytes: size } : body,
        status: Math.max(0, response?.status ?? 0),
        responseHeaders,
        responseBody: toBody(response?.content, responseHeaders),
        error: attempt?.error ?? response?._error ?? '',
        attempt:
          attempt === undefined
            ? null
            : { dueAt: attempt.scheduled_at, isManual: attempt.trigger === 'manual' },
        keyScopes: svc?.key_scopes ?? null,
      },
    ];
  });
  return { exchanges, invalidCount: entries.length - exchanges.length };
}

/** Lower-case names, without the pseudo-headers of HTTP/2. The values of a repeated header are joined. */
function toHeaders(pairs: readonly { readonly name: string; readonly value: string }[]): RecordedHeaders {
  const headers = new Map<string, string>();
  for (const { name, value } of pairs) {
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
function toBody(body: v.InferOutput<typeof Body>, headers: RecordedHeaders): RecordedBody {
  const text = body?.text ?? '';
  const toRecorded = (content: string | Buffer, isComplete: boolean) => {
    const bytes = isComplete ? Buffer.byteLength(content) : null;
    return { content, isComplete, bytes };
  };
  if (body?.encoding !== 'base64') return toRecorded(text, !text.includes('\uFFFD'));
  const bytes = Buffer.from(text, 'base64');
  try {
    return toRecorded(decompressors[headers.get('content-encoding') ?? '']?.(bytes) ?? bytes, true);
  } catch {
    return toRecorded(bytes, true);
  }
}

type ExportedAttempt = v.InferOutput<typeof Line>['attempts'][number];

function toExchange(attempt: ExportedAttempt, file: string, entry: string): Exchange[] {
  const { request, response } = attempt;
  const url = parseUrl(request.url);
  if (url === null) return [];
  const toMap = (headers: Readonly<Record<string, string>>) =>
    toHeaders(Object.entries(headers).map(([name, value]) => ({ name, value })));
  return [
    {
      file,
      entry,
      at: Date.parse(attempt.sent_at),
      durationMs: attempt.duration_ms,
      method: 'POST',
      url,
      headers: toMap(request.headers),
      body: { content: request.body, isComplete: !request.body.includes('[removed]'), bytes: null },
      status: attempt.response_status ?? 0,
      responseHeaders: toMap(response?.headers ?? {}),
      responseBody: { content: response?.body ?? '', isComplete: false, bytes: null },
      error: attempt.error ?? '',
      attempt: { dueAt: Date.parse(attempt.scheduled_at), isManual: attempt.trigger === 'manual' },
      keyScopes: null,
    },
  ];
}
