/** Finds out how the API of a service behaves, for the gaps that configuration can override. */
import type { Environment } from '../domain/credentials.ts';
import { formatDuration, MINUTE_MS, SECOND_MS } from '../domain/duration.ts';
import { isEventType, WILDCARD_SUBSCRIPTION } from '../domain/event.ts';
import { parseUrl } from '../domain/http-url.ts';
import { readIdempotencyKey } from '../domain/idempotency-key.ts';
import { isObject } from '../domain/json.ts';
import { checkWebhookUrl } from '../domain/webhook-url.ts';
import type { ConfigValue } from '../profile/gap.ts';
import type { Rules } from '../profile/rules.ts';
import { type ApiRequest, type DeliveryAttempt, isSuccess, type OperationName } from './exchange.ts';
import {
  compareRange,
  compareSightings,
  differ,
  type Finding,
  groupBy,
  NO_EVIDENCE,
  type Sighting,
} from './finding.ts';
import { roundDuration } from './retry-evidence.ts';

type Requests = readonly ApiRequest[];

function ofOperation(requests: Requests, operation: OperationName): Requests {
  return requests.filter((request) => request.operation === operation);
}

function sighting<Value>(exchange: ApiRequest, value: Value, text: string): Sighting<Value> {
  return { exchange, value, text: `${exchange.method} ${exchange.path}: ${text}` };
}

/** Whether the service refused a valid request because of a value that its message mentions. */
function isRejectedFor({ status, failure }: ApiRequest, subject: RegExp): boolean {
  return (status === 400 || status === 422) && subject.test(failure?.message ?? '');
}

function getField(json: unknown, name: string): unknown {
  return isObject(json) ? (json as Record<string, unknown>)[name] : undefined;
}

export function compareEventBody(requests: Requests, configured: string): Finding {
  const sightings = ofOperation(requests, 'createEvent').flatMap((request) =>
    ['payload', 'data'].flatMap((field) =>
      isSuccess(request) && isObject(getField(request.json, field))
        ? [sighting(request, field, `${request.status} for a body with ${field}`)]
        : [],
    ),
  );
  return compareSightings(configured, sightings);
}

/** @param eventTypes those with a built-in fixture */
export function compareCatalog(
  requests: Requests,
  configured: string,
  eventTypes: ReadonlySet<string>,
): Finding {
  const unlisted = ofOperation(requests, 'createEvent').flatMap((request): Sighting[] => {
    const type = getField(request.json, 'type');
    if (typeof type !== 'string' || !isEventType(type) || eventTypes.has(type)) return [];
    if (isSuccess(request)) return [sighting(request, 'open', `${type} was accepted`)];
    return isRejectedFor(request, /^type\b|event type|catalog/i)
      ? [sighting(request, 'closed', `${type} was rejected`)]
      : [];
  });
  const accepted = unlisted.filter(({ value }) => value === 'open');
  if (accepted.length === 0 || accepted.length === unlisted.length)
    return compareSightings(configured, unlisted);
  // The catalog is closed, but has other types than the fixtures.
  return differ(null, unlisted, { needed: 'a catalog of event types other than the built-in fixtures' });
}

export function compareWebhookUrl(requests: Requests, configured: string): Finding {
  const sightings = ofOperation(requests, 'createWebhook').flatMap((request): Sighting[] => {
    const url = getField(request.json, 'url');
    if (typeof url !== 'string' || !checkWebhookUrl(url, 'local').ok || checkWebhookUrl(url, 'public').ok)
      return [];
    const { host } = parseUrl(url) ?? {};
    if (isSuccess(request)) return [sighting(request, 'local', `${host} was accepted`)];
    return isRejectedFor(request, /\burl\b|https|public/i)
      ? [sighting(request, 'public', `${host} was rejected`)]
      : [];
  });
  return compareSightings(configured, sightings);
}

/** @param defaultEnvironment for requests without an API key, which browsers leave out */
export function compareWildcard(
  requests: Requests,
  configured: Rules['wildcard'],
  defaultEnvironment: Environment,
): Finding {
  const sightings = ofOperation(requests, 'createWebhook').flatMap((request): Sighting[] => {
    const events = getField(request.json, 'events');
    if (!Array.isArray(events) || !events.includes(WILDCARD_SUBSCRIPTION)) return [];
    const isProduction = (request.environment ?? defaultEnvironment) === 'production';
    const environment = isProduction ? 'in production' : 'in the sandbox';
    if (isSuccess(request)) {
      // In the sandbox, this is the same as "rejected_in_production".
      const isSame = !isProduction && configured === 'rejected_in_production';
      return [sighting(request, isSame ? configured : 'accepted', `* was accepted ${environment}`)];
    }
    if (!isRejectedFor(request, /\*|wildcard|\bevents\b/i)) return [];
    const value = !isProduction || configured === 'rejected' ? 'rejected' : 'rejected_in_production';
    return [sighting(request, value, `* was rejected ${environment}`)];
  });
  return compareSightings(configured, sightings);
}

/** The numbers in a message, without units. */
function listNumbers(message: string): number[] {
  return Array.from(message.matchAll(/(?<![\w.-])\d[\d,_]*(?![\w.]*\w)/g), ([text]) =>
    Number(text.replace(/[,_]/g, '')),
  );
}

export function compareWebhookLimit(requests: Requests, configured: number): Finding {
  const created = ofOperation(requests, 'createWebhook').filter(isSuccess);
  const perWorkspace = groupBy(created, ({ json }) => String(getField(json, 'workspace_id')));
  const min = perWorkspace.flatMap((group) => {
    const count = new Set(group.map(({ responseJson }) => getField(responseJson, 'id'))).size;
    return group
      .slice(-1)
      .map((request) => sighting(request, count, `endpoint ${count} of the workspace was accepted`));
  });
  const stated = ofOperation(requests, 'createWebhook').flatMap((request) => {
    if (isSuccess(request) || !isRejectedFor(request, /limit|maximum|too many|at most/i)) return [];
    return listNumbers(request.failure?.message ?? '')
      .slice(0, 1)
      .map((limit) =>
        sighting(request, limit, `${request.status}, and the message states the limit ${limit}`),
      );
  });
  return compareRange(
    configured,
    { min: [...min, ...stated], max: stated },
    (lowest, highest) => (lowest === highest ? lowest : null),
    (value) => value,
    'the limit, which the recording exceeds without showing it',
  );
}

export function compareListParameter(requests: Requests, configured: string): Finding {
  const lists = ofOperation(requests, 'listEvents');
  const named = lists.flatMap((request) =>
    [...request.query].flatMap(([name, value]) =>
      value.startsWith('ws_') ? [{ request, name, isAccepted: isSuccess(request) }] : [],
    ),
  );
  const accepted = named.filter(({ isAccepted }) => isAccepted);
  const sightings = accepted.map(({ request, name }) => sighting(request, name, `200 for ?${name}=ws_…`));
  if (sightings.some(({ value }) => value === configured)) {
    return compareSightings(
      configured,
      sightings.filter(({ value }) => value === configured),
    );
  }
  // A service that ignores unknown parameters accepts every name.
  const rejected = named.some(
    ({ request, name, isAccepted }) =>
      !isAccepted && name === configured && isRejectedFor(request, new RegExp(name)),
  );
  return rejected ? compareSightings(configured, sightings) : NO_EVIDENCE;
}

export function compareListLimit(requests: Requests, { defaultLimit, maxLimit }: Rules['list']): Finding {
  const lists = ofOperation(requests, 'listEvents').map((request) => {
    const limit = request.query.get('limit');
    const data = getField(request.responseJson, 'data');
    const count = isSuccess(request) && Array.isArray(data) ? data.length : null;
    return { request, count, hasMore: getField(request.responseJson, 'has_more') === true, limit };
  });
  const pages = lists.filter(({ limit, count }) => limit === null && count !== null);
  const fullPages = pages
    .filter(({ hasMore }) => hasMore)
    .map(({ request, count }) =>
      sighting(request, count ?? 0, `${count} items without a limit, and has_more`),
    );
  const atLeast = pages.map(({ request, count }) =>
    sighting(request, count ?? 0, `${count} items without a limit`),
  );
  const byDefault = compareRange(
    defaultLimit,
    { min: [...atLeast, ...fullPages], max: fullPages },
    (min, max) => (min === max ? min : null),
    (value) => value,
  );
  const requested = lists.filter(({ limit }) => limit !== null && /^[1-9]\d*$/.test(limit));
  const accepted = requested.filter(({ count }) => count !== null);
  const clamped = accepted.find(({ count, limit, hasMore }) => hasMore && (count ?? 0) < Number(limit));
  const rejected = requested.filter(({ request }) => isRejectedFor(request, /limit/i));
  const stated = rejected.flatMap(({ request, limit }) => {
    const number = listNumbers(request.failure?.message ?? '')
      .filter((each) => each < Number(limit))
      .at(-1);
    return number === undefined
      ? []
      : [sighting(request, number, `the message of limit=${limit} states ${number}`)];
  });
  const byMaximum = compareRange(
    maxLimit,
    {
      min: [
        ...accepted
          .filter((list) => list !== clamped)
          .map(({ request, limit }) => sighting(request, Number(limit), `limit=${limit} was accepted`)),
        ...stated,
      ],
      max: [
        ...rejected.map(({ request, limit }) =>
          sighting(request, Number(limit) - 1, `limit=${limit} was rejected`),
        ),
        ...stated,
      ],
    },
    (min, max) => (min === max ? min : null),
    (value) => value,
  );
  if (clamped !== undefined) {
    const text = `limit=${clamped.limit} returned ${clamped.count} items, and has_more`;
    return differ(null, [sighting(clamped.request, '', text)], {
      needed: 'a list that shortens a limit that is too large, instead of rejecting it',
    });
  }
  return joinFindings({ default: byDefault, max: byMaximum });
}

/** One finding for the fields of an object. */
export function joinFindings(fields: Readonly<Record<string, Finding>>): Finding {
  const entries = Object.entries(fields);
  const select = (verdict: Finding['verdict']) =>
    entries.filter(([, finding]) => finding.verdict === verdict);
  const toObject = (list: typeof entries, key: 'observed' | 'override'): ConfigValue =>
    Object.fromEntries(
      list.flatMap(([name, finding]) => (finding[key] === null ? [] : [[name, finding[key]]])),
    );
  const different = select('different');
  const relevant = different.length > 0 ? different : select('confirmed');
  if (relevant.length === 0) return NO_EVIDENCE;
  const overridden = different.filter(([, { override }]) => override !== null);
  const needed = different.flatMap(([name, finding]) =>
    finding.needed === null ? [] : [`${name}: ${finding.needed}`],
  );
  return {
    verdict: different.length > 0 ? 'different' : 'confirmed',
    observed: toObject(relevant, 'observed'),
    override: overridden.length === 0 ? null : toObject(overridden, 'override'),
    needed: needed.length === 0 ? null : needed.join('; '),
    evidence: relevant.flatMap(([, { evidence }]) => evidence),
  };
}

const readOperations: readonly (OperationName | null)[] = ['getEvent', 'listEvents', 'getWorkspace'];

/** Only a response to a key whose scopes are known shows that reads need none. */
export function compareKeyScopes(requests: Requests, configured: string): Finding {
  const sightings = requests.flatMap((request): Sighting[] => {
    if (!readOperations.includes(request.operation)) return [];
    if (request.status === 403) return [sighting(request, 'required', `403 ${request.failure?.code ?? ''}`)];
    const isRestricted =
      request.keyScopes !== null && !request.keyScopes.some((scope) => scope.endsWith(':read'));
    const isAllowed = isSuccess(request) || request.status === 404;
    return isRestricted && isAllowed
      ? [sighting(request, 'not_required', `${request.status} for a key without a read scope`)]
      : [];
  });
  return compareSightings(configured, sightings);
}

/** `"api-key";q=200;w=2`: the burst, and the seconds in which it refills. */
const POLICY = /;\s*q=(\d+)(?:.*;\s*w=(\d+))?/;
const REMAINING = /;\s*r=(\d+).*;\s*t=(\d+)/;

export function compareRateLimit(requests: Requests, configured: Rules['rateLimit']): Finding {
  const limited = requests.flatMap((request) => {
    const [, burst, windowSeconds] = POLICY.exec(request.responseHeaders.get('ratelimit-policy') ?? '') ?? [];
    return burst === undefined
      ? []
      : [{ request, burst: Number(burst), windowSeconds: Number(windowSeconds ?? 0) }];
  });
  const denied = requests.filter(({ status }) => status === 429);
  const [first] = limited;
  if (first === undefined) {
    if (denied.length > 0) {
      const sightings = denied.map((request) =>
        sighting(request, '', '429, without a header that states the limit'),
      );
      return configured === null
        ? differ(null, sightings, { needed: 'the limit, which no header states' })
        : NO_EVIDENCE;
    }
    return compareWithoutLimit(requests, configured);
  }
  const { burst } = first;
  const bounds = limited.flatMap(({ request, windowSeconds }) =>
    listRateBounds(request, burst, windowSeconds),
  );
  const stated = denied.flatMap((request) => {
    const [perSecond] =
      /(\d+) requests per second/
        .exec(request.failure?.message ?? '')
        ?.slice(1)
        .map(Number) ?? [];
    return perSecond === undefined ? [] : [perSecond];
  });
  const min = Math.max(1, ...bounds.map(([low]) => low), ...stated);
  const max = Math.min(...bounds.map(([, high]) => high), ...stated);
  const present = configured ?? { perSecond: 0, burst: 0 };
  const isPresent = present.burst === burst && present.perSecond >= min && present.perSecond <= max;
  const perSecond = isPresent ? present.perSecond : roundestBetween(Math.ceil(min), Math.floor(max));
  const value = { per_second: perSecond, burst };
  const sightings = [...limited.map(({ request }) => request), ...denied].map((request) =>
    sighting(request, value, `RateLimit-Policy: ${request.responseHeaders.get('ratelimit-policy')}`),
  );
  return compareSightings(
    configured === null ? 'off' : { per_second: configured.perSecond, burst: configured.burst },
    sightings,
  );
}

/** What the headers of a response say about the requests per second. */
function listRateBounds(
  request: ApiRequest,
  burst: number,
  windowSeconds: number,
): (readonly [number, number])[] {
  const bounds: (readonly [number, number])[] = [];
  // The window is the time in which the burst refills, rounded up to seconds.
  if (windowSeconds > 0)
    bounds.push([burst / windowSeconds, windowSeconds > 1 ? burst / (windowSeconds - 1) : Infinity]);
  const [, remaining, refill] = REMAINING.exec(request.responseHeaders.get('ratelimit') ?? '') ?? [];
  const missing = burst - Number(remaining);
  const seconds = Number(refill);
  if (remaining !== undefined && seconds > 0 && missing > 1) {
    bounds.push([(missing - 1) / seconds, seconds > 1 ? missing / (seconds - 1) : Infinity]);
  }
  return bounds;
}

/** The whole number in a range with the most zeros at its end. */
function roundestBetween(min: number, max: number): number {
  for (let step = 10 ** Math.floor(Math.log10(Math.max(1, Math.min(max, 10 ** 9)))); step >= 1; step /= 10) {
    for (const unit of [step, step / 2]) {
      const value = Math.ceil(min / unit) * unit;
      if (Number.isInteger(value) && value <= max) return value;
    }
  }
  return min;
}

/** Requests in a second from which on a service without a limit differs from one with a limit that nobody reached. */
const UNLIMITED_BURST = 100;

function compareWithoutLimit(requests: Requests, configured: Rules['rateLimit']): Finding {
  const authenticated = requests.filter(({ status }) => status !== 401);
  const size = configured === null ? UNLIMITED_BURST : configured.burst + 1;
  const spanMs = SECOND_MS;
  const start = authenticated.findIndex((request, index) => {
    const last = authenticated[index + size - 1 + (configured?.perSecond ?? 0)];
    return last !== undefined && last.at - request.at <= spanMs;
  });
  const request = authenticated[start];
  return request === undefined
    ? NO_EVIDENCE
    : compareSightings(
        configured === null ? 'off' : { per_second: configured.perSecond, burst: configured.burst },
        [
          sighting(
            request,
            'off',
            `${size} requests in a second without 429 and without a rate limit header`,
          ),
        ],
      );
}

const UNITS: Readonly<Record<string, number>> = { '': 1, b: 1, k: 1024, m: 1024 ** 2 };

export function compareBodyLimit(requests: Requests, configured: number): Finding {
  const sized = requests.flatMap((request) => {
    const { bytes } = request.body;
    return bytes === null || request.method !== 'POST' || request.status === 401 || request.status === 0
      ? []
      : [{ request, bytes }];
  });
  const rejected = sized.filter(({ request }) => request.status === 413);
  const stated = rejected.flatMap(({ request, bytes }) => {
    const [, number, unit = ''] = /(\d+)\s*(b|k|m)?/i.exec(request.failure?.message ?? '') ?? [];
    const limit = Number(number) * (UNITS[unit.toLowerCase()] ?? 1);
    return number !== undefined && limit < bytes
      ? [sighting(request, limit, `413, and the message states ${limit} bytes`)]
      : [];
  });
  return compareRange(
    configured,
    {
      min: [
        ...sized
          .filter(({ request }) => request.status !== 413 && request.status !== 429)
          .map(({ request, bytes }) =>
            sighting(request, bytes, `${request.status} for a body of ${bytes} bytes`),
          ),
        ...stated,
      ],
      max: [
        ...rejected.map(({ request, bytes }) =>
          sighting(request, bytes - 1, `413 for a body of ${bytes} bytes`),
        ),
        ...stated,
      ],
    },
    (min, max) => {
      if (max === null) return null;
      // The last limit of whole KiB that is possible, if a smaller body was accepted that comes close to it.
      const whole = Math.floor(max / 1024) * 1024;
      return min !== null && whole >= min && whole - min < 1024 * 1024 ? whole : max === min ? max : null;
    },
    formatBytes,
  );
}

function formatBytes(bytes: number): string {
  if (bytes % 1024 ** 2 === 0) return `${bytes / 1024 ** 2}MiB`;
  return bytes % 1024 === 0 ? `${bytes / 1024}KiB` : `${bytes}B`;
}

/** A request that repeats the idempotency key of an earlier one. */
export interface RepeatedRequest {
  readonly first: ApiRequest;
  readonly repeated: ApiRequest;
  readonly isSameBody: boolean;
  readonly isSamePath: boolean;
  /** Whether the response is that to the first request. */
  readonly isReplay: boolean;
}

/** Pairs each request with the first successful one that has the same idempotency key. */
export function listRepeatedRequests(requests: Requests): RepeatedRequest[] {
  const firsts = new Map<string, ApiRequest>();
  const repeats: RepeatedRequest[] = [];
  for (const request of requests) {
    const header = request.headers.get('idempotency-key');
    const key = header === undefined || request.method !== 'POST' ? null : readIdempotencyKey(header);
    if (key === null) continue;
    const first = firsts.get(key);
    const id = getField(request.responseJson, 'id');
    if (first === undefined) {
      if (isSuccess(request)) firsts.set(key, request);
      continue;
    }
    const isSamePath = first.path === request.path;
    const firstId = getField(first.responseJson, 'id');
    if (isSuccess(request) && (id === undefined || firstId === undefined)) continue;
    const isReplay = isSuccess(request) && id === firstId;
    const isSameBody = first.body.content.toString() === request.body.content.toString();
    repeats.push({ first, repeated: request, isSameBody, isSamePath, isReplay });
    // The key was free again.
    if (isSamePath && isSameBody && isSuccess(request) && !isReplay) firsts.set(key, request);
  }
  return repeats;
}

export function compareIdempotency(requests: Requests, configured: Rules['idempotency']): Finding {
  const repeats = listRepeatedRequests(requests);
  const scopes = repeats.flatMap(({ repeated, isSamePath }): Sighting[] => {
    if (isSamePath) return [];
    const text = `${repeated.status} for the idempotency key of a request to another path`;
    if (isSuccess(repeated)) return [sighting(repeated, 'api_key_method_path', text)];
    const isConflict = repeated.status === 409 || /idempoten/i.test(repeated.failure?.code ?? '');
    return isConflict ? [sighting(repeated, 'api_key', text)] : [];
  });
  const sameRequests = repeats.filter(
    ({ isSamePath, isSameBody, repeated }) => isSamePath && isSameBody && isSuccess(repeated),
  );
  const limits = (isReplay: boolean) =>
    sameRequests
      .filter((pair) => pair.isReplay === isReplay)
      .map(({ first, repeated }) => {
        const ageMs = repeated.at - first.at;
        const result = isReplay ? 'the stored response' : 'a new response';
        return sighting(repeated, ageMs, `${result} after ${formatDuration(ageMs)}`);
      });
  const retention = compareRange(
    configured.retentionMs,
    { min: limits(true), max: limits(false) },
    proposeRetention,
    formatDuration,
  );
  return joinFindings({ unique_within: compareSightings(configured.scope, scopes), retention });
}

const DAYS = [1, 2, 3, 7, 14, 30].map((days) => days * 24 * 60 * MINUTE_MS);
const RETENTIONS = [
  ...[1, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 60 * MINUTE_MS),
  ...DAYS,
];

/** The usual time between both limits. Without an upper limit, none is more likely than another. */
function proposeRetention(min: number | null, max: number | null): number | null {
  if (max === null) return null;
  const usual = RETENTIONS.filter((ms) => ms >= (min ?? 0) && ms <= max);
  if (min === null || usual.length > 1) return null;
  return usual[0] ?? roundDuration(max);
}

/** A connection that ends earlier was broken. */
const MIN_TIMEOUT_MS = 100;
/** Attempts without a response that a time limit ended. */
const TIMED_OUT = /time.?out|timed out|aborted|disconnect|closed/i;

export function compareTimeout(attempts: readonly DeliveryAttempt[], configuredMs: number): Finding {
  const toSighting = (exchange: DeliveryAttempt, text: string): Sighting<number> => ({
    exchange,
    value: exchange.durationMs ?? 0,
    text,
  });
  const ended = attempts.filter(
    ({ status, error, durationMs }) =>
      status === 0 &&
      TIMED_OUT.test(error) &&
      !/connect to|connecting|reset/i.test(error) &&
      (durationMs ?? 0) >= MIN_TIMEOUT_MS,
  );
  const limits = ended.map((attempt) => {
    const ms = attempt.durationMs ?? 0;
    // The receiver measures from when the request arrives until it notices that the connection was closed.
    const isConfigured = ms >= configuredMs * 0.9 && ms <= configuredMs * 1.1 + 500;
    const value = isConfigured ? configuredMs : roundDuration(ms, 0.08);
    return { ...toSighting(attempt, `no response after ${formatDuration(ms)}`), value };
  });
  if (limits.length > 0) {
    const finding = compareSightings(configuredMs, limits);
    const toText = (value: ConfigValue | null) => (value === null ? null : formatDuration(Number(value)));
    return joinFindings({
      attempt: { ...finding, observed: toText(finding.observed), override: toText(finding.override) },
    });
  }
  const responses = attempts
    .filter(({ status, durationMs }) => status !== 0 && (durationMs ?? 0) > configuredMs * 1.1 + 500)
    .map((attempt) =>
      toSighting(attempt, `${attempt.status} after ${formatDuration(attempt.durationMs ?? 0)}`),
    );
  return responses.length === 0
    ? NO_EVIDENCE
    : differ(null, responses, {
        needed: 'the time limit of an attempt, which is longer than the recorded responses',
      });
}
