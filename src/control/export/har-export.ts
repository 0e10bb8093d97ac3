/** Writes attempts as HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/), which developer tools of browsers open. */
import { STATUS_CODES } from 'node:http';
import type { AttemptDetail } from '../../contract/delivery-schemas.ts';
import type { ExportedDelivery } from '../../contract/export-schemas.ts';
import { parseUrl } from '../../domain/http-url.ts';
import { VERSION } from '../../package-info.ts';

/** ID of the only page. Firefox requires a list of pages, and its earlier versions require a page for each entry. */
const PAGE_ID = 'deliveries';
/** HAR uses -1 for a size or a time that is not known. */
const UNKNOWN = -1;

/** @param startedAt wall time of the export */
export async function* writeHar(
  startedAt: number,
  deliveries: AsyncIterable<ExportedDelivery>,
): AsyncGenerator<string> {
  const page = {
    startedDateTime: new Date(startedAt).toISOString(),
    id: PAGE_ID,
    title: 'Deliveries',
    pageTimings: { onContentLoad: UNKNOWN, onLoad: UNKNOWN },
  };
  const creator = { name: 'svc-emulator', version: VERSION };
  yield `{"log":{"version":"1.2","creator":${JSON.stringify(creator)},"pages":[${JSON.stringify(page)}],"entries":[\n`;
  let separator = '';
  for await (const delivery of deliveries) {
    if (delivery.attempts.length === 0) continue;
    yield `${separator}${delivery.attempts.map((attempt) => JSON.stringify(toEntry(delivery, attempt))).join(',\n')}\n`;
    separator = ',';
  }
  yield ']}}\n';
}

/** Names that start with `_` are extensions. Chrome writes `_error` and `_resourceType` too, and can filter by the type. */
function toEntry(delivery: ExportedDelivery, attempt: AttemptDetail) {
  const { id, event_id, event_type, workspace_id, webhook_id, created_at, replay_of, status } = delivery;
  const { number, trigger, scheduled_at, outcome, error, fault } = attempt;
  return {
    pageref: PAGE_ID,
    startedDateTime: attempt.sent_at,
    time: attempt.duration_ms,
    request: toRequest(attempt),
    response: toResponse(attempt),
    cache: {},
    timings: toTimings(attempt),
    comment: `Attempt ${number} of ${id}`,
    _resourceType: 'fetch',
    _delivery: { id, event_id, event_type, workspace_id, webhook_id, created_at, replay_of, status },
    _attempt: {
      number,
      trigger,
      scheduled_at,
      outcome,
      error,
      queued_ms: attempt.phases?.queued_ms ?? null,
      ...(fault === undefined ? {} : { fault }),
    },
  };
}

/** `connect` includes `ssl`, and the others add up to `time`. `send`, `wait` and `receive` must not be -1, unlike the rest. */
function toTimings({ phases, duration_ms: time }: AttemptDetail) {
  if (phases === null) return { send: 0, wait: time, receive: 0 };
  const { dns_ms: dns, connect_ms: connect, tls_ms: ssl } = phases;
  const [send, wait, receive] = [phases.send_ms ?? 0, phases.wait_ms ?? 0, phases.receive_ms ?? 0];
  const opening = (dns ?? 0) + (connect ?? 0) + (ssl ?? 0);
  return {
    blocked: Math.max(0, roundToMicroseconds(time - opening - send - wait - receive)),
    dns: dns ?? UNKNOWN,
    connect: connect === null ? UNKNOWN : roundToMicroseconds(connect + (ssl ?? 0)),
    ssl: ssl ?? UNKNOWN,
    send,
    wait,
    receive,
  };
}

function roundToMicroseconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

function toRequest({ request: { url, headers, body } }: AttemptDetail) {
  const queryString = Array.from(parseUrl(url)?.searchParams ?? [], ([name, value]) => ({ name, value }));
  return {
    method: 'POST',
    url,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: toHeaderList(headers),
    queryString,
    postData: { mimeType: findHeader(headers, 'content-type') ?? 'application/json', text: body },
    headersSize: UNKNOWN,
    bodySize: Buffer.byteLength(body),
  };
}

/** Without a response, the status is 0, as browsers write it. */
function toResponse({ response, response_status: status, error }: AttemptDetail) {
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

function toHeaderList(headers: Readonly<Record<string, string>>) {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

function findHeader(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(headers).find(([candidate]) => candidate.toLowerCase() === name)?.[1];
}
