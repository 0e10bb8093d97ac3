/** Reads the HTTP exchanges of a recording: HAR, or the NDJSON of `svc deliveries export`. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import * as v from 'valibot';
import { Attempt } from '../../contract/delivery-schemas.ts';
import { ScopeName } from '../../contract/resources.ts';
import { parseUrl } from '../../domain/http-url.ts';
import { isJson } from '../../domain/json.ts';
import { REMOVED } from '../../domain/secret-remover.ts';
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

const Line = v.object({ attempts: v.array(Attempt) });

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
    for (const [index, attempt] of line.output.attempts.entries()) {
      exchanges.push(...readEntry(toEntry(attempt), source.name, `${position}, attempt ${index + 1}`));
    }
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
  const exchanges = entries.flatMap((entry: unknown, index) => readEntry(entry, file, `entry ${index + 1}`));
  return { exchanges, invalidCount: entries.length - exchanges.length };
}

/** An attempt of an export as a HAR entry. */
function toEntry({ request, response, ...attempt }: v.InferOutput<typeof Attempt>) {
  const toPairs = (headers: object) => Object.entries(headers).map(([name, value]) => ({ name, value }));
  return {
    startedDateTime: attempt.sent_at,
    time: attempt.duration_ms,
    request: {
      ...{ method: 'POST', url: request.url, postData: { text: request.body } },
      headers: toPairs(request.headers),
    },
    response: { status: attempt.response_status, headers: toPairs(response?.headers ?? {}) },
    _attempt: attempt,
  };
}

/** None for an entry that is not valid. */
function readEntry(value: unknown, file: string, entry: string): Exchange[] {
  const { success, output } = v.safeParse(HarEntry, value);
  const url = success ? parseUrl(output.request.url) : null;
  if (!success || url === null) return [];
  const { request, response, _attempt: attempt, _svc: svc } = output;
  const [headers, responseHeaders] = [toHeaders(request.headers), toHeaders(response?.headers ?? [])];
  const body = toBody(request.postData, headers);
  const size = request.bodySize ?? 0;
  const isManual = attempt?.trigger === 'manual';
  return [
    {
      ...{ file, entry, url, headers, responseHeaders },
      at: output.startedDateTime,
      durationMs: output.time ?? null,
      method: request.method,
      // Some programs record only the beginning of a body. -1 and 0 are sizes that are not known.
      body: size > 0 ? { ...body, isComplete: body.isComplete && body.bytes === size, bytes: size } : body,
      status: Math.max(0, response?.status ?? 0),
      responseBody: toBody(response?.content, responseHeaders),
      error: attempt?.error ?? response?._error ?? '',
      attempt: attempt === undefined ? null : { dueAt: attempt.scheduled_at, isManual },
      keyScopes: svc?.key_scopes ?? null,
    },
  ];
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
  if (body?.encoding !== 'base64')
    return toRecorded(text, !text.includes('\uFFFD') && !text.includes(REMOVED));
  const bytes = Buffer.from(text, 'base64');
  try {
    return toRecorded(decompressors[headers.get('content-encoding') ?? '']?.(bytes) ?? bytes, true);
  } catch {
    return toRecorded(bytes, true);
  }
}
