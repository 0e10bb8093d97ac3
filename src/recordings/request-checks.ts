/** What single requests show about gaps: a value or a limit of the gap, or how the service deviates from a gap without an override. */
import { isDeepStrictEqual } from 'node:util';
import { type Environment, SECRET_PREFIX } from '../domain/credentials.ts';
import { formatDuration, MINUTE_MS } from '../domain/duration.ts';
import { getErrorDefinition, isErrorCode } from '../domain/errors.ts';
import { isEventType, WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { readIdempotencyKey } from '../domain/idempotency-key.ts';
import { isId } from '../domain/ids.ts';
import { isObject } from '../domain/json.ts';
import { REMOVED } from '../domain/secret-remover.ts';
import { checkWebhookUrl, needsLookup } from '../domain/webhook-url.ts';
import type { ConfigValue } from '../profile/gap.ts';
import type { GapId, GapValues } from '../profile/gaps.ts';
import {
  compareFixed,
  compareObservations,
  compareRange,
  type Deviation,
  type Finding,
  joinFindings,
  type Observation,
  type Range,
  UNKNOWN_VALUE,
} from './finding.ts';
import { type ApiRequest, isSuccess } from './sort-traffic.ts';

interface CheckContext {
  readonly requests: readonly ApiRequest[];
  readonly environment: Environment;
  /** The event types that have a built-in fixture. */
  readonly eventTypes: ReadonlySet<string>;
  /** The configured values. */
  readonly values: GapValues;
}

/**
 * What a request shows about a gap: its value, or for a gap without an override how the service deviates from it, null if it does
 * not. Undefined if the request shows nothing.
 */
type Check<Shown> = (request: ApiRequest, context: CheckContext) => Shown | undefined;

/** Whether the service refused a valid request because of a value that its message mentions. */
function isRejectedFor({ status, failure }: ApiRequest, subject: RegExp): boolean {
  return (status === 400 || status === 422) && subject.test(failure.message);
}

/** Returns `accepted` after a successful response, and `rejected` after an error whose message mentions the subject. */
function decide(request: ApiRequest, subject: RegExp, accepted: string, rejected: string) {
  if (isSuccess(request)) return accepted;
  return isRejectedFor(request, subject) ? rejected : undefined;
}

/** Whether each relevant request has one of the statuses. A service can check the key or the rate first. */
function expectStatus(
  statuses: readonly number[],
  isRelevant: (request: ApiRequest) => boolean,
): Check<Deviation> {
  return (request) => {
    if (!isRelevant(request)) return undefined;
    if (statuses.includes(request.status)) return null;
    return [401, 429].includes(request.status) ? undefined : describe(request);
  };
}

function describe({ method, path, status, failure }: ApiRequest): string {
  return `${method} ${path}: ${status} ${failure.code}`.trim();
}

const checks: { readonly [Gap in GapId]?: Check<Gap extends keyof GapValues ? ConfigValue : Deviation> } = {
  'event.body': (request) => {
    if (request.operation !== 'createEvent' || !isSuccess(request)) return undefined;
    return ['payload', 'data'].find((name) => isObject(request.input[name]));
  },
  'event.catalog': (request, { eventTypes }) => {
    const { type } = request.input;
    if (request.operation !== 'createEvent' || typeof type !== 'string') return undefined;
    if (!isEventType(type) || eventTypes.has(type)) return undefined;
    return decide(request, /^type\b|event type|catalog/i, 'open', 'closed');
  },
  'webhook.url': (request) => {
    const { url } = request.input;
    if (request.operation !== 'createWebhook' || typeof url !== 'string') return undefined;
    const isLocal =
      checkWebhookUrl(url, 'local').ok &&
      !checkWebhookUrl(url, 'public').ok &&
      !needsLookup('local', new URL(url));
    return isLocal ? decide(request, /\burl\b|https|public/i, 'local', 'public') : undefined;
  },
  'webhook.wildcard': (request, context) => {
    const { events } = request.input;
    if (request.operation !== 'createWebhook' || !Array.isArray(events)) return undefined;
    if (!events.includes(WILDCARD_SUBSCRIPTION)) return undefined;
    const configured = context.values['webhook.wildcard'];
    const isSandbox = (request.environment ?? context.environment) === 'sandbox';
    // The sandbox accepts it for `accepted` and `rejected_in_production`; production rejects it for `rejected` and `rejected_in_production`.
    const accepted = isSandbox && configured !== 'rejected' ? configured : 'accepted';
    const rejected = isSandbox || configured === 'rejected' ? 'rejected' : 'rejected_in_production';
    return decide(request, /\*|wildcard|\bevents\b/i, accepted, rejected);
  },
  'list.workspace': (request, { values }) => {
    const { searchParams } = request.url;
    const configured = values['list.workspace'];
    if (request.operation !== 'listEvents' || !isSuccess(request)) return undefined;
    const names = [...searchParams].flatMap(([name, value]) => (value.startsWith('ws_') ? [name] : []));
    // A service that ignores unknown parameters accepts every name.
    return names.includes(configured) ? configured : names[0];
  },
  'key.scopes': (request) => {
    if (request.method !== 'GET' || request.operation === null) return undefined;
    if (request.status === 403) return 'required';
    const lacksScope = request.keyScopes?.some((scope) => scope.endsWith(':read')) === false;
    return lacksScope && isSuccess(request) ? 'not_required' : undefined;
  },
  'error.codes': checkErrorCode,
  'secret.format': ({ operation, result: { secret } }) => {
    const isSecret = operation === 'createWebhook' && typeof secret === 'string';
    if (!isSecret || secret.includes(REMOVED)) return undefined;
    if (/^whsec_(?:[\w-]{43}|[A-Za-z0-9+/]{43}=|[0-9a-f]{64})$/.test(secret)) return null;
    // The text has no part of the secret.
    return `${secret.startsWith(SECRET_PREFIX) ? SECRET_PREFIX : 'no prefix'}, ${secret.length} characters`;
  },
  'id.format': (request) => {
    const records = [request.result, ...request.items];
    // A payload can contain other IDs.
    const values = records.flatMap((record) => [record.id, record.workspace_id]);
    const ids = [...values, request.failure.request_id]
      .map(String)
      .filter((id) => /^(?:evt|ws|wh|req)_/.test(id));
    return ids.length === 0 ? undefined : (ids.find((id) => !isId(id)) ?? null);
  },
  'webhook.operations': expectStatus(
    [404, 405],
    // A 404 for a longer path can be about the ID.
    ({ path, operation, status }) =>
      operation === null && (path === '/webhooks' || (path.startsWith('/webhooks/') && status !== 404)),
  ),
  'list.order': ({ items, url }) => {
    const cursor = url.searchParams.get('starting_after');
    if (items.some(({ id }) => id === cursor)) return 'a page has its cursor';
    const times = items.map(({ created_at: at }) => Date.parse(String(at)));
    if (new Set(times).size < 2) return undefined;
    const isNewestFirst = times.every((time, index) => index === 0 || time <= (times[index - 1] ?? time));
    return isNewestFirst ? null : 'not newest first';
  },
  'list.filter': ({ items, url }) => {
    const type = url.searchParams.get('type');
    if (type === null || items.length === 0) return undefined;
    return items.every((item) => item.type === type) ? null : `a list of ${type} has other events`;
  },
  'request.id': ({ responseHeaders, result, failure }) => {
    const id = responseHeaders.get('request-id');
    const other = [...responseHeaders.keys()].find((name) => /request-?id$/.test(name));
    if (id === undefined)
      return other === undefined ? 'no header with the request ID' : `the header ${other}`;
    const stated = isObject(result.error) ? failure.request_id : id;
    return id.startsWith('req_') && stated === id ? null : 'another ID than in the error';
  },
  'rate.headers': ({ responseHeaders, status }) => {
    const names = [...responseHeaders.keys()].filter((name) => /rate-?limit/.test(name));
    if (names.length === 0 && status !== 429) return undefined;
    if (status === 429 && !responseHeaders.has('retry-after')) return '429 without Retry-After';
    return names.every((name) => /^ratelimit(?:-policy)?$/.test(name)) ? null : names.join(', ');
  },
  'body.charset': expectStatus(
    [415],
    ({ method, operation, headers, status }) =>
      method === 'POST' &&
      operation !== null &&
      ![403, 413].includes(status) &&
      /charset=(?!"?utf-?8)/i.test(headers.get('content-type') ?? ''),
  ),
  'path.slash': expectStatus([404], ({ path }) => /^\/(?:events|webhooks)\/$/.test(path)),
  version: expectStatus([404], ({ path }) => /^\/v\d+\//.test(path)),
};

/** The error code of an invalid request, by what is wrong with it. The first one applies. */
const expectedCodes: readonly (readonly [code: string, isExpected: (request: ApiRequest) => boolean])[] = [
  // The emulator has other codes with these statuses, but not in `/v1`.
  ['unauthenticated', ({ status }) => status === 401],
  ['permission_denied', ({ status }) => status === 403],
  ['unsupported_media_type', ({ headers }) => /^text\//.test(headers.get('content-type') ?? '')],
  ['invalid_request', ({ method, body, json }) => method === 'POST' && body.isComplete && json === undefined],
  [
    'validation_failed',
    ({ method, path, json }) => method + path === 'POST/events' && isObject(json) && !('type' in json),
  ],
  ['invalid_request', ({ operation }) => operation === 'listEvents'],
];

function checkErrorCode(request: ApiRequest): Deviation | undefined {
  const { failure, status, operation } = request;
  // Only an emulator that other machines cannot reach has the last one.
  if (failure.code === '' || failure.code === 'forbidden_origin') return undefined;
  const hasReason = [401, 403].includes(status) || (operation !== null && [400, 415, 422].includes(status));
  const [expected = failure.code] = (hasReason && expectedCodes.find(([, is]) => is(request))) || [];
  const isKnown = isErrorCode(failure.code) && getErrorDefinition(failure.code).status === status;
  return isKnown && expected === failure.code ? null : describe(request);
}

const UNITS: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2 };

/** The numbers in the message of an error. Sizes are in bytes. */
function listNumbers({ failure }: ApiRequest): number[] {
  const numbers = failure.message.matchAll(/(?<![\w.-])(\d[\d,_]*) ?([km]?)(?:i?b)?(?![\w.]*\w)/gi);
  return Array.from(
    numbers,
    ([, digits = '', unit = '']) => Number(digits.replace(/[,_]/g, '')) * (UNITS[unit.toLowerCase()] ?? 1),
  );
}

/** The limit of a request that was rejected: the one in the message, or one less than what was requested. */
function findLimit(request: ApiRequest, requested: number): Range {
  const stated = listNumbers(request).findLast((number) => number < requested);
  return stated === undefined ? { max: requested - 1 } : { min: stated, max: stated };
}

/** Whether the service refused an endpoint because of their number. Other limits are about a field of the endpoint. */
function isOverWebhookLimit(request: ApiRequest): boolean {
  const isLimit = isRejectedFor(request, /limit|maximum|too many|at most/i);
  const isAboutField = isRejectedFor(request, /\burls?\b|\bevents?\b|character/i);
  return isLimit && !isAboutField && isRejectedFor(request, /endpoint|webhook/i);
}

/** From errors about the number of endpoints, and from the endpoints that the service accepted in one workspace. */
function compareWebhookLimit({ requests, values }: CheckContext): Finding {
  const observations: Observation<Range>[] = [];
  /** The workspace of each endpoint. */
  const workspaces = new Map<string, unknown>();
  for (const exchange of requests) {
    const { operation, method, path, result } = exchange;
    if (method === 'DELETE' && isSuccess(exchange)) workspaces.delete(path.replace('/webhooks/', ''));
    if (operation !== 'createWebhook') continue;
    if (isOverWebhookLimit(exchange)) {
      observations.push({ exchange, value: findLimit(exchange, Infinity) });
    } else if (isSuccess(exchange) && typeof result.workspace_id === 'string') {
      workspaces.set(String(result.id), result.workspace_id);
      const min = [...workspaces.values()].filter((id) => id === result.workspace_id).length;
      observations.push({ exchange, value: { min }, text: `endpoint ${min} of ${result.workspace_id}` });
    }
  }
  return compareRange(values['webhook.limit'], observations);
}

const checkBodyLimit: Check<Range> = (request) => {
  const { method, status, body } = request;
  if (body.bytes === null || method !== 'POST' || [401, 429].includes(status)) return undefined;
  return status === 413 ? findLimit(request, body.bytes) : { min: body.bytes };
};

function formatBytes(bytes: number): string {
  if (bytes % 1024 ** 2 === 0) return `${bytes / 1024 ** 2}MiB`;
  return bytes % 1024 === 0 ? `${bytes / 1024}KiB` : `${bytes}B`;
}

/** Without the header, only a rejected request shows that there is a limit. */
function compareRateLimit({ requests, values }: CheckContext): Finding {
  const configured = values['rate.limit'] ?? 'off';
  const { per_second: perSecond = 0, burst = 0 } = Object(configured);
  const policy = `;q=${burst};w=${Math.ceil(burst / perSecond)}`;
  const observations = requests.flatMap((exchange): Observation<ConfigValue | null>[] => {
    const header = exchange.responseHeaders.get('ratelimit-policy');
    const isLimited = header !== undefined || (configured === 'off' && exchange.status === 429);
    const value = header?.endsWith(policy) ? configured : null;
    return isLimited ? [{ exchange, value, text: header ?? 'no RateLimit-Policy' }] : [];
  });
  return compareObservations(configured, observations, UNKNOWN_VALUE);
}

const checkDefaultLimit: Check<Range> = (request) => {
  const { length } = request.items;
  if (length === 0 || request.url.searchParams.has('limit')) return undefined;
  return request.result.has_more === true ? { min: length, max: length } : { min: length };
};

/** Whether the service shortens a limit that is too large, instead of rejecting it. */
const checkShortenedLimit: Check<Deviation> = (request) => {
  const limit = Number(request.url.searchParams.get('limit'));
  const { length } = request.items;
  const isShortened = request.result.has_more === true && length > 0 && length < limit;
  return isShortened ? `limit=${limit} is shortened to ${length} items, and not rejected` : undefined;
};

const checkMaxLimit: Check<Range> = (request, context) => {
  const limit = Number(request.url.searchParams.get('limit'));
  const { length } = request.items;
  if (request.operation !== 'listEvents' || !(limit > 0)) return undefined;
  if (isRejectedFor(request, /limit/i)) return findLimit(request, limit);
  if (checkShortenedLimit(request, context)) return { min: length, max: length };
  return isSuccess(request) ? { min: limit } : undefined;
};

/** The findings for the gaps `idempotency.*`, from requests that repeat the key of an earlier one. */
function compareIdempotency({ requests, values }: CheckContext) {
  const { unique_within: scope, retention } = values['idempotency.scope'];
  const scopes: Observation[] = [];
  const retentions: Observation<Range>[] = [];
  const replays: Observation<Deviation>[] = [];
  const conflicts: Observation<Deviation>[] = [];
  /** The first successful request with each key, or the first one after the key was free again. */
  const firsts = new Map<string, ApiRequest>();
  for (const exchange of requests) {
    const { headers, method, path, status, body, result, failure, responseHeaders } = exchange;
    const key = readIdempotencyKey(headers.get('idempotency-key') ?? '');
    const { code } = failure;
    const isConflict = status === 409 || /idempoten|conflict/i.test(code);
    const isStored = isSuccess(exchange) && result.id !== undefined;
    if (key === null || method !== 'POST' || (!isStored && !isConflict)) continue;
    const first = firsts.get(key);
    if (first === undefined) {
      if (isStored) firsts.set(key, exchange);
      continue;
    }
    const ageMs = exchange.at - first.at;
    const age = formatDuration(ageMs);
    if (path !== first.path) {
      scopes.push({ exchange, value: isConflict ? 'api_key' : 'api_key_method_path' });
    } else if (body.content.toString() !== first.body.content.toString()) {
      const value = code === 'idempotency_key_reused' && status === 422 ? null : `${status} ${code}`;
      // After the retention time, the key can be used again.
      if (isConflict || ageMs < MINUTE_MS) conflicts.push({ exchange, value });
    } else if (isStored && result.id !== first.result.id) {
      retentions.push({ exchange, value: { max: ageMs }, text: `a new event after ${age}` });
      firsts.set(key, exchange);
    } else if (isStored) {
      retentions.push({ exchange, value: { min: ageMs }, text: `replayed after ${age}` });
      const isMarked = responseHeaders.get('idempotent-replayed') === 'true';
      const isSame = first.status === status && isDeepStrictEqual(first.result, result);
      const deviation = `${isSame ? 'the same' : 'another'} response, ${isMarked ? 'with' : 'without'} Idempotent-Replayed`;
      replays.push({ exchange, value: isMarked && isSame ? null : deviation });
    }
  }
  return {
    'idempotency.scope': joinFindings({
      unique_within: compareObservations(scope, scopes),
      retention: compareRange(retention, retentions),
    }),
    'idempotency.replay': compareFixed(replays),
    'idempotency.conflict': compareFixed(conflicts),
  };
}

/** The findings for the gaps that requests show. */
export function checkRequests(recorded: CheckContext): Partial<Record<GapId, Finding>> {
  const { values } = recorded;
  // Servers in front of an API send 5xx.
  const requests = recorded.requests.filter(({ status }) => status > 0 && status < 500);
  const context = { ...recorded, requests };
  const observe = <Shown>(check: Check<Shown>) =>
    requests.flatMap((exchange) => {
      const value = check(exchange, context);
      return value === undefined ? [] : [{ exchange, value }];
    });
  const findings = Object.entries(checks).map(([gap, check]) => {
    const observations = observe(check);
    const configured = values[gap as keyof GapValues] as ConfigValue | undefined;
    const isFixed = configured === undefined;
    return [gap, isFixed ? compareFixed(observations) : compareObservations(configured, observations)];
  });
  const limit = values['list.limit'];
  return {
    ...Object.fromEntries(findings),
    ...compareIdempotency(context),
    'rate.limit': compareRateLimit(context),
    'webhook.limit': compareWebhookLimit(context),
    'body.limit': compareRange(values['body.limit'], observe(checkBodyLimit), formatBytes),
    'list.limit': joinFindings({
      default: compareRange(limit.default, observe(checkDefaultLimit)),
      max: compareRange(limit.max, observe(checkMaxLimit)),
      larger: compareFixed(observe(checkShortenedLimit)),
    }),
  };
}
