/** The HAR 1.2 form of an HTTP exchange (http://www.softwareishard.com/blog/har-12-spec/): how svc writes it, and what svc reads. */
import { STATUS_CODES } from 'node:http';
import * as v from 'valibot';
import { parseUrl } from '../domain/http-url.ts';
import type { AttemptDetail } from './delivery-schemas.ts';
import { ScopeName } from './resources.ts';

/** HAR uses -1 for a size or a time that is not known. */
export const UNKNOWN = -1;

type Headers = Readonly<Record<string, string>>;

interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
}

/** Names that start with `_` are extensions. Chrome writes `_error` too. */
export function toAttemptEntry(attempt: AttemptDetail) {
  const { number, trigger, scheduled_at, outcome, error, fault, phases } = attempt;
  const details = { number, trigger, scheduled_at, outcome, error, queued_ms: phases?.queued_ms ?? null };
  return {
    startedDateTime: attempt.sent_at,
    time: attempt.duration_ms,
    request: toHarRequest({ method: 'POST', ...attempt.request }),
    response: toHarResponse(attempt.response_status, attempt.response, error),
    _attempt: { ...details, ...(fault === undefined ? {} : { fault }) },
  };
}

export function toHarRequest({ method, url, headers, body }: SentRequest) {
  const queryString = Array.from(parseUrl(url)?.searchParams ?? [], ([name, value]) => ({ name, value }));
  const mimeType = findHeader(headers, 'content-type') ?? 'application/json';
  return {
    method,
    url,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: toHeaderList(headers),
    queryString,
    ...(body !== '' && { postData: { mimeType, text: body } }),
    headersSize: UNKNOWN,
    bodySize: Buffer.byteLength(body),
  };
}

/** Without a response, the status is 0, as browsers write it. */
export function toHarResponse(
  status: number | null,
  response: AttemptDetail['response'],
  error: string | null,
) {
  const failure = error === null ? {} : { _error: error };
  const base = { cookies: [], redirectURL: '', headersSize: UNKNOWN, ...failure };
  if (response === null) {
    const content = { size: 0, mimeType: 'x-unknown' };
    return {
      status: status ?? 0,
      statusText: '',
      httpVersion: '',
      headers: [],
      content,
      bodySize: UNKNOWN,
      ...base,
    };
  }
  const { headers, body, encoding, truncated } = response;
  const size = Buffer.byteLength(body, encoding);
  return {
    status: status ?? 0,
    statusText: STATUS_CODES[status ?? 0] ?? '',
    httpVersion: 'HTTP/1.1',
    headers: toHeaderList(headers),
    content: {
      size,
      mimeType: findHeader(headers, 'content-type') ?? 'x-unknown',
      text: body,
      ...(encoding === 'base64' ? { encoding } : {}),
      ...(truncated ? { comment: 'Only the first part of the body is stored.' } : {}),
    },
    bodySize: truncated ? UNKNOWN : size,
    ...base,
    redirectURL: findHeader(headers, 'location') ?? '',
  };
}

function toHeaderList(headers: Headers) {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

function findHeader(headers: Headers, name: string): string | undefined {
  return Object.entries(headers).find(([candidate]) => candidate.toLowerCase() === name)?.[1];
}

const Time = v.pipe(
  v.string(),
  v.check((text) => !Number.isNaN(Date.parse(text)), 'must be an ISO 8601 time'),
  v.transform(Date.parse),
);
const Pairs = v.nullish(v.array(v.object({ name: v.string(), value: v.string() })), []);
const Body = v.nullish(v.object({ text: v.nullish(v.string()), encoding: v.nullish(v.string()) }));
const HarResponse = v.object({
  status: v.nullish(v.number()),
  headers: Pairs,
  content: Body,
  _error: v.nullish(v.string()),
});

/** The fields of an entry that svc reads. Programs omit some, or write null. Only svc writes the last three. */
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
  response: v.nullish(HarResponse),
  /** `startedDateTime` is then the wall time of an attempt; this is the schedule time of the delivery. */
  _delivery: v.optional(v.object({ created_at: Time })),
  _attempt: v.optional(v.object({ trigger: v.string(), scheduled_at: Time })),
  /** Of an entry of `svc gaps record`, with the scopes of the API key if it knows them. */
  _svc: v.optional(v.object({ key_scopes: v.optional(v.array(ScopeName)) })),
});
export type HarEntry = v.InferOutput<typeof HarEntry>;
