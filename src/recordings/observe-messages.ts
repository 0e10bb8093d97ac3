/** What recorded messages show without a replay: names of fields, the form of IDs, the order of lists, page sizes and headers. */
import { isDeepStrictEqual } from 'node:util';
import { SECRET_PREFIX } from '../domain/credentials.ts';
import { isId } from '../domain/ids.ts';
import { isObject, tryParseJson } from '../domain/json.ts';
import { REMOVED } from '../domain/secret-remover.ts';
import { ErrorBody } from '../operations/error-schemas.ts';
import type { GapId, GapValues } from '../profile/gaps.ts';
import { CreatedWebhook } from '../resources/endpoint.ts';
import { Envelope, Event, EventPage } from '../resources/event.ts';
import { Workspace } from '../resources/workspace.ts';
import { AS_DESCRIBED, compareValue, type Observation } from './finding.ts';
import { type Exchange, toFields } from './read-recording.ts';
import { type ApiRequest, isSuccess, type SortedRecording } from './sort-recording.ts';

/** What a request shows about a gap. For a gap without an override: how the response deviates. Undefined if it shows nothing. */
const readers: { readonly [Gap in GapId]?: (request: ApiRequest) => string | undefined } = {
  'secret.format': ({ operation, result: { secret } }) => {
    const isSecret = operation === 'createWebhook' && typeof secret === 'string';
    if (!isSecret || secret.includes(REMOVED)) return undefined;
    if (/^whsec_(?:[\w-]{43}|[A-Za-z0-9+/]{43}=|[0-9a-f]{64})$/.test(secret)) return AS_DESCRIBED;
    // The text has no part of the secret.
    return `${secret.startsWith(SECRET_PREFIX) ? SECRET_PREFIX : 'no prefix'}, ${secret.length} characters`;
  },
  'id.format': ({ result, items, failure }) => {
    // A payload can contain other IDs.
    const values = [result, ...items].flatMap((record) => [record.id, record.workspace_id]);
    const ids = [...values, failure.requestId].map(String).filter((id) => /^(?:evt|ws|wh|req)_/.test(id));
    return ids.length === 0 ? undefined : (ids.find((id) => !isId(id)) ?? AS_DESCRIBED);
  },
  'list.order': ({ items, url }) => {
    const cursor = url.searchParams.get('starting_after');
    if (items.some(({ id }) => id === cursor)) return 'a page has its cursor';
    const times = items.map(({ created_at: at }) => Date.parse(String(at)));
    if (new Set(times).size < 2) return undefined;
    const newestFirst = times.toSorted((a, b) => b - a);
    return isDeepStrictEqual(times, newestFirst) ? AS_DESCRIBED : 'not newest first';
  },
  'list.filter': ({ items, url }) => {
    const type = url.searchParams.get('type');
    if (type === null || items.length === 0) return undefined;
    return items.every((item) => item.type === type) ? AS_DESCRIBED : `a list of ${type} has other events`;
  },
  'request.id': ({ responseHeaders, result, failure }) => {
    const names = [...responseHeaders.keys()].filter((name) => /request-?id$/.test(name));
    if (names.length === 0) return 'no header with the request ID';
    if (!names.includes('request-id')) return `the request ID is in ${names.join(', ')}`;
    const id = responseHeaders.get('request-id');
    const stated = isObject(result.error) ? failure.requestId : id;
    return id?.startsWith('req_') && stated === id ? AS_DESCRIBED : 'another ID than in the error';
  },
  'rate.headers': ({ responseHeaders, status }) => {
    const names = [...responseHeaders.keys()].filter((name) => /rate-?limit/.test(name));
    if (names.length === 0 && status !== 429) return undefined;
    if (status === 429 && !responseHeaders.has('retry-after')) return '429 without Retry-After';
    return names.every((name) => /^ratelimit(?:-policy)?$/.test(name)) ? AS_DESCRIBED : names.join(', ');
  },
  // The names in accepted requests: that of the payload, and that of the parameter with the workspace.
  'event.body': (request) => {
    const { payload, data } = request.input;
    const isEvent = request.operation === 'createEvent' && isSuccess(request);
    if (!isEvent || isObject(payload) === isObject(data)) return undefined;
    return isObject(payload) ? 'payload' : 'data';
  },
  'list.workspace': (request) => {
    if (request.operation !== 'listEvents' || !isSuccess(request)) return undefined;
    return [...request.url.searchParams].find(([, value]) => value.startsWith('ws_'))?.[0];
  },
};

/** A kind of record, and the gap about its fields; null if no gap is about them. */
interface RecordKind extends Pick<Observation, 'gap'> {
  readonly name: string;
  readonly fields: Readonly<Record<string, { readonly type: string }>>;
}

const event: RecordKind = { name: 'event', gap: 'event.record', fields: Event.entries };
const envelope: RecordKind = { name: 'envelope', gap: 'envelope', fields: Envelope.entries };
const error: RecordKind = { name: 'error', gap: null, fields: ErrorBody.entries.error.entries };
const results: Readonly<Record<NonNullable<ApiRequest['operation']>, RecordKind>> = {
  createEvent: event,
  getEvent: event,
  getWorkspace: { name: 'workspace', gap: 'workspace.record', fields: Workspace.entries },
  createWebhook: { name: 'webhook', gap: 'webhook.record', fields: CreatedWebhook.entries },
  listEvents: { name: 'page', gap: null, fields: EventPage.entries },
};

const DELIVERY_HEADERS = ['service-signature', 'service-timestamp', 'service-delivery-id'];

/** What the messages show about gaps, and the differences that belong to none. */
export function observeMessages(
  { requests, attempts }: SortedRecording,
  configured: GapValues,
): Observation[] {
  const observations: Observation[] = [];
  const compareFields = (exchange: Exchange, { name: kind, gap, fields }: RecordKind, record: unknown) => {
    const names = isObject(record) ? Object.keys(record) : [];
    if (names.length === 0) return;
    const isSame =
      names.every((name) => Object.hasOwn(fields, name)) &&
      Object.entries(fields).every(([name, { type }]) => type === 'optional' || names.includes(name));
    const text = `${kind} with the fields ${names.join(', ')}`;
    observations.push({ gap, exchange, isSame, value: text, text });
  };
  for (const request of requests) {
    const { operation, result, items } = request;
    compareFields(request, error, result.error);
    if (operation !== null && isSuccess(request)) compareFields(request, results[operation], result);
    for (const item of items) compareFields(request, event, item);
    for (const [gap, read] of Object.entries(readers)) {
      const value = read(request);
      if (value !== undefined) observations.push(compareValue(configured, request, gap as GapId, value));
    }
    // Without a limit, a page that is not the last one has the default size, and no page is larger.
    const isFull = result.has_more === true;
    const leastSize = isFull ? 1 : configured['list.limit'].default + 1;
    if (items.length >= leastSize && !request.url.searchParams.has('limit')) {
      const size = isFull ? items.length : null;
      observations.push(compareValue(configured, request, 'list.limit', size, 'default'));
    }
  }
  for (const attempt of attempts) {
    const body = toFields(tryParseJson(attempt.body.toString()));
    compareFields(attempt, envelope, body);
    compareFields(attempt, event, body.data);
    const missing = DELIVERY_HEADERS.filter((name) => !attempt.headers.has(name));
    const text = `delivery without ${missing.join(', ')}`;
    observations.push({ gap: null, exchange: attempt, isSame: missing.length === 0, value: null, text });
  }
  return observations;
}
