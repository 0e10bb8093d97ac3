/** What single requests show about gaps: a value of the gap, or whether the service behaves as a gap without an override says. */
import { type Environment, SECRET_PREFIX } from '../domain/credentials.ts';
import { isEventType, WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { type IdKind, idPatterns, idPrefixes } from '../domain/ids.ts';
import { isObject } from '../domain/json.ts';
import { REMOVED } from '../domain/secret-remover.ts';
import { checkWebhookUrl } from '../domain/webhook-url.ts';
import { getErrorDefinition, isErrorCode } from '../errors.ts';
import { type ConfigValue, isConfigurable } from '../profile/gap.ts';
import { type GapId, gaps } from '../profile/gaps.ts';
import {
  type ApiRequest,
  isSuccess,
  listFields,
  type OperationName,
  type RecordedHeaders,
} from './exchange.ts';
import { compareFixed, compareSightings, type Finding, type Sighting } from './finding.ts';

export interface CheckContext {
  readonly environment: Environment;
  /** The event types that have a built-in fixture. */
  readonly eventTypes: ReadonlySet<string>;
}

/**
 * What a request shows, and the text of the evidence. For a gap that can be overridden, it is the value; for any other, whether
 * the service behaves as described.
 */
type Observation = readonly [value: ConfigValue | boolean, text: string] | null;

interface Check {
  /** Default: all requests. */
  readonly operation?: OperationName;
  observe(request: ApiRequest, context: CheckContext, configured: ConfigValue): Observation;
}

/** Whether the service refused a valid request because of a value that its message mentions. */
export function isRejectedFor({ status, failure }: ApiRequest, subject: RegExp): boolean {
  return (status === 400 || status === 422) && subject.test(failure?.message ?? '');
}

/** The value that an accepted request shows, or the one of a request that was rejected because of the subject. */
function decide(
  request: ApiRequest,
  subject: RegExp,
  [accepted, rejected]: readonly [accepted: string, rejected: string],
  text: string,
): Observation {
  if (isSuccess(request)) return [accepted, `${text} was accepted`];
  return isRejectedFor(request, subject) ? [rejected, `${text} was rejected`] : null;
}

/** Whether each request that is relevant has one of the statuses. */
function expectStatus(statuses: readonly number[], isRelevant: (request: ApiRequest) => boolean): Check {
  return {
    observe: (request) =>
      [0, 429].includes(request.status) || !isRelevant(request)
        ? null
        : [statuses.includes(request.status), describe(request)],
  };
}

function describe({ method, path, status, failure }: ApiRequest): string {
  return `${method} ${path}: ${status}${failure === null ? '' : ` ${failure.code}`}`;
}

const checks: Readonly<Partial<Record<GapId, Check>>> = {
  'event.body': {
    operation: 'createEvent',
    observe: (request) => {
      const field = ['payload', 'data'].find((name) => isObject(listFields(request.json)[name]));
      return field !== undefined && isSuccess(request) ? [field, `a body with ${field} was accepted`] : null;
    },
  },
  'event.catalog': {
    operation: 'createEvent',
    observe: (request, { eventTypes }) => {
      const { type } = listFields(request.json);
      if (typeof type !== 'string' || !isEventType(type) || eventTypes.has(type)) return null;
      return decide(request, /^type\b|event type|catalog/i, ['open', 'closed'], type);
    },
  },
  'webhook.url': {
    operation: 'createWebhook',
    observe: (request) => {
      const { url } = listFields(request.json);
      const isLocal =
        typeof url === 'string' && checkWebhookUrl(url, 'local').ok && !checkWebhookUrl(url, 'public').ok;
      return isLocal ? decide(request, /\burl\b|https|public/i, ['local', 'public'], 'a local URL') : null;
    },
  },
  'webhook.wildcard': {
    operation: 'createWebhook',
    observe: (request, { environment }, configured) => {
      const { events } = listFields(request.json);
      if (!Array.isArray(events) || !events.includes(WILDCARD_SUBSCRIPTION)) return null;
      const isProduction = (request.environment ?? environment) === 'production';
      // The sandbox accepts it in both cases, and production rejects it in both others.
      const accepted = !isProduction && configured !== 'rejected' ? String(configured) : 'accepted';
      const rejected = isProduction && configured !== 'rejected' ? 'rejected_in_production' : 'rejected';
      const text = isProduction ? '* in production' : '* in the sandbox';
      return decide(request, /\*|wildcard|\bevents\b/i, [accepted, rejected], text);
    },
  },
  'list.workspace': {
    operation: 'listEvents',
    observe: (request, _context, configured) => {
      const [name] = [...request.query].find(([, value]) => value.startsWith('ws_')) ?? [];
      if (name === undefined || !isSuccess(request)) return null;
      // A service that ignores unknown parameters accepts every name.
      return [request.query.has(String(configured)) ? configured : name, `?${name}=ws_… was accepted`];
    },
  },
  'key.scopes': {
    observe: (request) => {
      if (request.method !== 'GET' || request.operation === null) return null;
      if (request.status === 403) return ['required', `403 for ${request.path}`];
      const isRestricted =
        request.keyScopes !== null && !request.keyScopes.some((scope) => scope.endsWith(':read'));
      return isRestricted && isSuccess(request)
        ? ['not_required', 'a key without a read scope can read']
        : null;
    },
  },
  'secret.format': {
    operation: 'createWebhook',
    observe: ({ responseJson }) => {
      const { secret } = listFields(responseJson);
      if (typeof secret !== 'string' || secret.includes(REMOVED)) return null;
      // The text has no part of the secret.
      const text = `${secret.startsWith(SECRET_PREFIX) ? SECRET_PREFIX : 'no prefix'}, ${secret.length} characters`;
      return [/^whsec_(?:[\w-]{43}|[A-Za-z0-9+/]{43}=|[0-9a-f]{64})$/.test(secret), text];
    },
  },
  'id.format': {
    observe: ({ responseJson }) => {
      const kinds: readonly IdKind[] = ['workspace', 'event', 'webhook', 'request'];
      const ids = kinds.flatMap((kind) => {
        const pattern = new RegExp(`"(?:id|request_id|workspace_id)":"(${idPrefixes[kind]}[^"]*)"`);
        const id = pattern.exec(JSON.stringify(responseJson) ?? '')?.[1];
        return id === undefined ? [] : [{ id, isValid: idPatterns[kind].test(id) }];
      });
      const shown = ids.find(({ isValid }) => !isValid) ?? ids[0];
      return shown === undefined ? null : [shown.isValid, shown.id];
    },
  },
  'webhook.operations': expectStatus(
    [404, 405],
    ({ path, operation, status }) => /^\/webhooks(?:\/|$)/.test(path) && operation === null && status !== 401,
  ),
  'list.order': {
    operation: 'listEvents',
    observe: (request) => {
      const items = listItems(request);
      const times = items.map(({ created_at: at }) => Date.parse(String(at)));
      if (items.some(({ id }) => id === request.query.get('starting_after')))
        return [false, 'a page has its cursor'];
      if (new Set(times).size < 2) return null;
      const isNewestFirst = times.every((time, index) => index === 0 || time <= (times[index - 1] ?? time));
      return [isNewestFirst, isNewestFirst ? 'newest first' : 'not newest first'];
    },
  },
  'list.filter': {
    operation: 'listEvents',
    observe: (request) => {
      const type = request.query.get('type');
      const items = listItems(request);
      if (type === null || items.length === 0) return null;
      return [items.every((item) => item.type === type), `?type=${type}: ${items.length} items`];
    },
  },
  'key.environment': expectStatus(
    [401],
    ({ environment, url }) =>
      environment === 'production' && /sandbox|test|localhost|^127\./.test(url.hostname),
  ),
  'error.codes': {
    observe: (request) => {
      const { failure, status } = request;
      // Only an emulator that other machines cannot reach has it.
      if (failure === null || failure.code === '' || failure.code === 'forbidden_origin') return null;
      const isInvalid = request.operation !== null && [400, 415, 422].includes(status);
      const [, reason] = (isInvalid && reasons.find(([isReason]) => isReason(request))) || [];
      const expected = reason ?? codesOfStatus[status] ?? failure.code;
      const isKnown = isErrorCode(failure.code) && getErrorDefinition(failure.code).status === status;
      return [isKnown && expected === failure.code, describe(request)];
    },
  },
  'request.id': {
    observe: ({ responseHeaders, failure, status }) => {
      if (status === 0) return null;
      const id = responseHeaders.get('request-id');
      const other = [...responseHeaders.keys()].find((name) => /request-?id$/.test(name));
      if (id === undefined)
        return [false, other === undefined ? 'no header with the request ID' : `the header ${other}`];
      return [id.startsWith('req_') && (failure?.requestId ?? id) === id, 'Request-Id: req_…'];
    },
  },
  'rate.headers': {
    observe: ({ responseHeaders, status }) => {
      const names = [...responseHeaders.keys()].filter((name) => /rate-?limit/.test(name));
      if (names.length === 0 && status !== 429) return null;
      const isExpected = names.every((name) => /^ratelimit(?:-policy)?$/.test(name));
      return [
        isExpected && (status !== 429 || responseHeaders.has('retry-after')),
        `${status}: ${names.join(', ')}`,
      ];
    },
  },
  'body.charset': expectStatus(
    [415],
    ({ method, operation, headers, status }) =>
      method === 'POST' &&
      operation !== null &&
      ![401, 403, 413].includes(status) &&
      /charset=(?!"?utf-?8)/i.test(headers.get('content-type') ?? ''),
  ),
  'path.slash': expectStatus([404], ({ path }) => /^\/(?:events|webhooks)\/$/.test(path)),
  version: expectStatus([404], ({ path }) => /^\/v\d+\//.test(path)),
};

function listItems({ responseJson }: ApiRequest): readonly Readonly<Record<string, unknown>>[] {
  const { data } = listFields(responseJson);
  return Array.isArray(data) ? data.map(listFields) : [];
}

/** The error code of the API, where the emulator has others with this status. */
const codesOfStatus: Readonly<Record<number, string>> = { 401: 'unauthenticated', 403: 'permission_denied' };

/** The error code of an invalid request that shows why it was rejected. */
const reasons: readonly (readonly [isReason: (request: ApiRequest) => boolean, code: string])[] = [
  [({ method, headers }) => method === 'POST' && isText(headers), 'unsupported_media_type'],
  [({ method, body, json }) => method === 'POST' && body.isComplete && json === undefined, 'invalid_request'],
  [({ operation, json }) => operation === 'createEvent' && lacksType(json), 'validation_failed'],
  [({ operation }) => operation === 'listEvents', 'invalid_request'],
];

function isText(headers: RecordedHeaders): boolean {
  return headers.get('content-type')?.startsWith('text/') === true;
}

function lacksType(json: unknown): boolean {
  return isObject(json) && !('type' in json);
}

/** The finding for a gap that single requests show; null for any other gap. */
export function checkRequests(
  gap: GapId,
  requests: readonly ApiRequest[],
  context: CheckContext,
  configured: ConfigValue,
): Finding | null {
  const check = checks[gap];
  if (check === undefined) return null;
  const { operation } = check;
  const sightings = requests
    .filter((request) => operation === undefined || request.operation === operation)
    .flatMap((exchange) => {
      const observation = check.observe(exchange, context, configured);
      return observation === null ? [] : [{ exchange, value: observation[0], text: observation[1] }];
    });
  return isConfigurable(gaps[gap])
    ? compareSightings(configured, sightings as Sighting[])
    : compareFixed(sightings as Sighting<boolean>[], gap === 'error.codes');
}
