/** Finds out whether a service behaves as the gaps without an override say. */
import { type IdKind, idPatterns, idPrefixes } from '../domain/ids.ts';
import { isObject } from '../domain/json.ts';
import { getErrorDefinition, isErrorCode } from '../errors.ts';
import type { GapId } from '../profile/gaps.ts';
import { listRepeatedRequests } from './api-evidence.ts';
import { type ApiRequest, type DeliveryAttempt, type Exchange, isSuccess } from './exchange.ts';
import { compareFixed, type Finding, type FixedSighting, groupBy } from './finding.ts';
import { compareRecord } from './record-shapes.ts';

interface Recorded {
  readonly requests: readonly ApiRequest[];
  readonly attempts: readonly DeliveryAttempt[];
}

type FixedCheck = (recorded: Recorded) => Finding;

function sighting(exchange: Exchange, isExpected: boolean, text: string): FixedSighting {
  return { exchange, isExpected, text };
}

function describe({ method, path, status, failure }: ApiRequest): string {
  return `${method} ${path}: ${status}${failure === null ? '' : ` ${failure.code}`}`;
}

function check(
  select: (recorded: Recorded) => readonly (FixedSighting | null)[],
  needed: string,
): FixedCheck {
  return (recorded) =>
    compareFixed(
      select(recorded).filter((each) => each !== null),
      needed,
    );
}

/** Requests for which one status is expected. */
function checkStatus(
  isRelevant: (request: ApiRequest) => boolean,
  status: number,
  needed: string,
): FixedCheck {
  return check(
    ({ requests }) =>
      requests
        .filter((request) => request.status !== 429 && request.status !== 0 && isRelevant(request))
        .map((request) => sighting(request, request.status === status, describe(request))),
    needed,
  );
}

/** Requests that were rejected for this reason, if the request shows the reason. */
const codesByRequest: readonly (readonly [isRelevant: (request: ApiRequest) => boolean, code: string])[] = [
  [({ status }) => status === 401, 'unauthenticated'],
  [({ status }) => status === 403, 'permission_denied'],
  [({ status }) => status === 413, 'payload_too_large'],
  [({ status }) => status === 429, 'rate_limited'],
  [
    ({ method, headers, status }) =>
      method === 'POST' &&
      status >= 400 &&
      status <= 422 &&
      /^text\//.test(headers.get('content-type') ?? ''),
    'unsupported_media_type',
  ],
  [
    ({ operation, method, json, body, status }) =>
      method === 'POST' &&
      operation !== null &&
      [400, 422].includes(status) &&
      body.isComplete &&
      json === undefined,
    'invalid_request',
  ],
  [
    ({ operation, json, status }) =>
      operation === 'createEvent' &&
      [400, 422].includes(status) &&
      isObject(json) &&
      !('type' in (json as object)),
    'validation_failed',
  ],
  [({ operation, status }) => operation === 'listEvents' && [400, 422].includes(status), 'invalid_request'],
  [({ operation, status }) => operation?.startsWith('get') === true && status === 404, 'not_found'],
];

function checkErrorCode(request: ApiRequest): FixedSighting | null {
  const { failure, status } = request;
  if (failure === null || failure.code === '') return null;
  // 403 has a second code while other machines cannot reach the emulator.
  if (failure.code === 'forbidden_origin') return null;
  const expected = codesByRequest.find(([isRelevant]) => isRelevant(request))?.[1];
  const known = isErrorCode(failure.code) && getErrorDefinition(failure.code).status === status;
  return sighting(request, known && (expected === undefined || expected === failure.code), describe(request));
}

const resourceKinds: readonly IdKind[] = ['workspace', 'event', 'webhook', 'request'];

/** The IDs in a response or a delivery, one of each kind. */
function checkIds(exchange: Exchange, json: unknown): FixedSighting[] {
  const text = JSON.stringify(json) ?? '';
  return resourceKinds.flatMap((kind) => {
    const id = new RegExp(`"(?:id|request_id|workspace_id)":"(${idPrefixes[kind]}[^"]*)"`).exec(text)?.[1];
    return id === undefined ? [] : [sighting(exchange, idPatterns[kind].test(id), id)];
  });
}

const SECRET_FORM = /^whsec_(?:[A-Za-z0-9_-]{43}|[A-Za-z0-9+/]{43}=|[0-9a-f]{64})$/;

/** The text has no part of the secret. */
function checkSecret(request: ApiRequest): FixedSighting | null {
  const { secret } = Object(request.responseJson);
  if (request.operation !== 'createWebhook' || typeof secret !== 'string' || secret.includes('[removed]'))
    return null;
  const prefix = secret.startsWith('whsec_') ? 'whsec_' : '';
  const text = `${prefix === '' ? 'a secret without whsec_' : prefix} and ${secret.length - prefix.length} characters`;
  return sighting(request, SECRET_FORM.test(secret), text);
}

function checkOrder(request: ApiRequest): FixedSighting[] {
  const { data } = Object(request.responseJson);
  if (request.operation !== 'listEvents' || !isSuccess(request) || !Array.isArray(data)) return [];
  const times = data.map((item) => Object(item).created_at).filter((time) => typeof time === 'string');
  const after = request.query.get('starting_after');
  const isExclusive = !data.some((item) => Object(item).id === after);
  if (!isExclusive) return [sighting(request, false, 'the page starts with its cursor')];
  if (new Set(times).size < 2) return [];
  const isNewestFirst = times.every(
    (time, index) => index === 0 || Date.parse(time) <= Date.parse(times[index - 1] ?? time),
  );
  return [sighting(request, isNewestFirst, isNewestFirst ? 'newest first' : 'not newest first')];
}

function checkFilter(request: ApiRequest): FixedSighting | null {
  const type = request.query.get('type');
  const { data } = Object(request.responseJson);
  if (request.operation !== 'listEvents' || type === null || !Array.isArray(data)) return null;
  const others = data.filter((item) => Object(item).type !== type);
  const text = others.length === 0 ? `only events of ${type}` : `?type=${type} returns other types`;
  return sighting(request, others.length === 0, text);
}

function checkRequestId(request: ApiRequest): FixedSighting | null {
  if (request.status === 0) return null;
  const id = request.responseHeaders.get('request-id');
  const other = [...request.responseHeaders.keys()].find((name) => /request-?id$/.test(name));
  const isSame = request.failure === null || request.failure.requestId === id;
  if (id !== undefined) return sighting(request, id.startsWith('req_') && isSame, 'Request-Id: req_…');
  return sighting(
    request,
    false,
    other === undefined ? 'no header with the request ID' : `the header ${other}`,
  );
}

function checkRateHeaders(request: ApiRequest): FixedSighting | null {
  const names = [...request.responseHeaders.keys()].filter((name) => /rate-?limit/.test(name));
  if (names.length === 0 && request.status !== 429) return null;
  const isExpected =
    names.every((name) => /^ratelimit(?:-policy)?$/.test(name)) &&
    (request.status !== 429 || request.responseHeaders.has('retry-after'));
  return sighting(
    request,
    isExpected,
    `${request.status} with ${names.join(', ') || 'no rate limit header'}`,
  );
}

function listReplays({ requests }: Recorded): FixedSighting[] {
  return listRepeatedRequests(requests)
    .filter(({ isReplay, isSameBody, isSamePath }) => isReplay && isSameBody && isSamePath)
    .map(({ first, repeated }) => {
      const isMarked = repeated.responseHeaders.get('idempotent-replayed') === 'true';
      const isSame =
        first.status === repeated.status &&
        first.responseBody.content.toString() === repeated.responseBody.content.toString();
      const text = `${repeated.status}, ${isMarked ? 'with' : 'without'} Idempotent-Replayed, ${isSame ? 'the same' : 'another'} response`;
      return sighting(repeated, isMarked && isSame, text);
    });
}

function listConflicts({ requests }: Recorded): FixedSighting[] {
  return listRepeatedRequests(requests)
    .filter(
      ({ isSameBody, isSamePath, repeated }) =>
        isSamePath && !isSameBody && ![400, 401, 403, 429].includes(repeated.status),
    )
    .filter(({ repeated }) => isSuccess(repeated) || repeated.failure?.code !== 'validation_failed')
    .flatMap(({ first, repeated }) => {
      // After the retention time, the key can be used again.
      if (isSuccess(repeated) && repeated.at - first.at > 60_000) return [];
      return [sighting(repeated, repeated.failure?.code === 'idempotency_key_reused', describe(repeated))];
    });
}

function listRedirects({ attempts }: Recorded): FixedSighting[] {
  const deliveries = groupBy(
    attempts.filter(({ id }) => id !== ''),
    ({ id }) => id,
  );
  return deliveries.flatMap((delivery) =>
    delivery.slice(1).flatMap((next, index) => {
      const status = delivery[index]?.status ?? 0;
      return status >= 300 && status < 400 ? [sighting(next, true, `a retry after ${status}`)] : [];
    }),
  );
}

/** Fixed gaps that a recording can show. */
export const fixedChecks: Readonly<Partial<Record<GapId, FixedCheck>>> = {
  'secret.format': check(({ requests }) => requests.map(checkSecret), 'secrets of another form'),
  'id.format': check(
    ({ requests, attempts }) =>
      [
        ...requests.map((request) => [request, request.responseJson] as const),
        ...attempts.map((attempt) => [attempt, Object(attempt.json).data] as const),
      ].flatMap(([exchange, json]) => checkIds(exchange, json)),
    'IDs of another form',
  ),
  'event.record': ({ requests, attempts }) => compareRecord(requests, attempts, 'event'),
  'workspace.record': ({ requests, attempts }) => compareRecord(requests, attempts, 'workspace'),
  'webhook.record': ({ requests, attempts }) => compareRecord(requests, attempts, 'webhook'),
  envelope: ({ requests, attempts }) => compareRecord(requests, attempts, 'envelope'),
  'webhook.operations': check(
    ({ requests }) =>
      requests
        .filter(
          ({ path, operation, status }) =>
            /^\/webhooks(?:\/|$)/.test(path) && operation === null && status !== 401,
        )
        .map((request) => sighting(request, [404, 405].includes(request.status), describe(request))),
    'more operations for endpoints',
  ),
  'delivery.success': check(listRedirects, 'another rule for success'),
  'idempotency.replay': check(listReplays, 'another response to a repeated request'),
  'idempotency.conflict': check(listConflicts, 'another response to a reused idempotency key'),
  'list.order': check(({ requests }) => requests.flatMap(checkOrder), 'another order of lists'),
  'list.filter': check(({ requests }) => requests.map(checkFilter), 'other filters of lists'),
  'key.environment': checkStatus(
    ({ environment, url, status }) => environment === 'production' && isSandbox(url) && status !== 404,
    401,
    'another response to a key of the other environment',
  ),
  'error.codes': ({ requests }) => {
    const sightings = requests.map(checkErrorCode).filter((each) => each !== null);
    const unexpected = sightings.filter(({ isExpected }) => !isExpected);
    const texts = [...new Set(unexpected.map(({ text }) => text))];
    return compareFixed(
      unexpected.length > 0 ? unexpected : sightings,
      `other error codes: ${texts.join(', ')}`,
    );
  },
  'request.id': check(({ requests }) => requests.map(checkRequestId), 'another header for the request ID'),
  'rate.headers': check(({ requests }) => requests.map(checkRateHeaders), 'other rate limit headers'),
  'body.charset': checkStatus(
    ({ method, operation, headers, status }) =>
      method === 'POST' &&
      operation !== null &&
      ![401, 403, 413].includes(status) &&
      /charset=(?!"?utf-?8)/i.test(headers.get('content-type') ?? ''),
    415,
    'other character encodings',
  ),
  'path.slash': checkStatus(
    ({ path }) => /^\/(?:events|webhooks)\/$/.test(path),
    404,
    'paths that end with a slash',
  ),
  version: checkStatus(({ path }) => /^\/v\d+\//.test(path), 404, 'other versions'),
};

/** Whether the address is one of a sandbox: the name says so. */
function isSandbox({ hostname }: URL): boolean {
  return /sandbox|test|localhost|^127\./.test(hostname);
}
