/** Finds out the limits of a service, and how it handles idempotency keys. */
import { isDeepStrictEqual } from 'node:util';
import { formatDuration, MINUTE_MS } from '../domain/duration.ts';
import { readIdempotencyKey } from '../domain/idempotency-key.ts';
import type { ConfigValue } from '../profile/gap.ts';
import type { Rules } from '../profile/rules.ts';
import {
  type ApiRequest,
  type DeliveryAttempt,
  isSuccess,
  listFields,
  type OperationName,
  type Traffic,
} from './exchange.ts';
import {
  compareFixed,
  compareRange,
  compareSightings,
  differ,
  type Finding,
  groupBy,
  NO_EVIDENCE,
  type Sighting,
} from './finding.ts';
import { isRejectedFor } from './request-checks.ts';
import { listDurations, roundDuration } from './retry-evidence.ts';

type Requests = readonly ApiRequest[];

export function compareLimits({ requests, attempts }: Traffic, rules: Rules) {
  return {
    ...compareIdempotency(requests, rules.idempotency),
    'webhook.limit': compareWebhookLimit(requests, rules.webhookLimit),
    'delivery.timeout': compareTimeout(attempts, rules.delivery.attemptTimeoutMs),
    'list.limit': compareListLimit(requests, rules.list),
    'rate.limit': compareRateLimit(requests, rules.rateLimit),
    'body.limit': compareBodyLimit(requests, rules.bodyLimitBytes),
  };
}

function ofOperation(requests: Requests, operation: OperationName): Requests {
  return requests.filter((request) => request.operation === operation);
}

function sighting<Value>(exchange: ApiRequest, value: Value, text: string): Sighting<Value> {
  return { exchange, value, text: `${exchange.method} ${exchange.path}: ${text}` };
}

const UNITS: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2 };

/** The numbers in the message of an error. Sizes are in bytes. */
function listNumbers({ failure }: ApiRequest): number[] {
  const numbers = (failure?.message ?? '').matchAll(/(?<![\w.-])(\d[\d,_]*) ?([km]?)(?:i?b)?(?![\w.]*\w)/gi);
  return Array.from(
    numbers,
    ([, digits = '', unit = '']) => Number(digits.replace(/[,_]/g, '')) * (UNITS[unit.toLowerCase()] ?? 1),
  );
}

/** The limit that the message of a rejected request states. */
function findStatedLimit(request: ApiRequest, requested = Number.POSITIVE_INFINITY): Sighting<number>[] {
  const limit = listNumbers(request).findLast((number) => number < requested);
  return limit === undefined
    ? []
    : [sighting(request, limit, `${request.status}, and the message states ${limit}`)];
}

function compareWebhookLimit(requests: Requests, configured: number): Finding {
  const creations = ofOperation(requests, 'createWebhook');
  const perWorkspace = groupBy(creations.filter(isSuccess), ({ json }) =>
    String(listFields(json).workspace_id),
  );
  return compareRange(configured, {
    min: perWorkspace.flatMap((group) => {
      const count = new Set(group.map(({ responseJson }) => listFields(responseJson).id)).size;
      return group
        .slice(-1)
        .map((request) => sighting(request, count, `endpoint ${count} of the workspace was accepted`));
    }),
    exact: creations
      .filter((request) => isRejectedFor(request, /limit|maximum|too many|at most/i))
      .flatMap((request) => findStatedLimit(request)),
  });
}

function compareListLimit(requests: Requests, { defaultLimit, maxLimit }: Rules['list']): Finding {
  const lists = ofOperation(requests, 'listEvents').map((request) => {
    const { data, has_more: hasMore } = listFields(request.responseJson);
    const count = isSuccess(request) && Array.isArray(data) ? data.length : null;
    return { request, count, hasMore: hasMore === true, limit: request.query.get('limit') };
  });
  const pages = lists.flatMap(({ request, count, hasMore, limit }) =>
    limit === null && count !== null
      ? [{ hasMore, ...sighting(request, count, `${count} items without a limit`) }]
      : [],
  );
  const requested = lists.filter(({ limit }) => limit !== null && /^[1-9]\d*$/.test(limit));
  const accepted = requested.filter(({ count }) => count !== null);
  const rejected = requested.filter(({ request }) => isRejectedFor(request, /limit/i));
  const shortened = accepted.find(({ count, limit, hasMore }) => hasMore && Number(count) < Number(limit));
  if (shortened !== undefined) {
    const text = `limit=${shortened.limit} returned ${shortened.count} items, and has_more`;
    return differ(null, [sighting(shortened.request, '', text)], {
      needed: 'a list that shortens a limit that is too large, instead of rejecting it',
    });
  }
  return joinFindings({
    default: compareRange(defaultLimit, { min: pages, exact: pages.filter(({ hasMore }) => hasMore) }),
    max: compareRange(maxLimit, {
      min: accepted.map(({ request, limit }) =>
        sighting(request, Number(limit), `limit=${limit} was accepted`),
      ),
      max: rejected.map(({ request, limit }) =>
        sighting(request, Number(limit) - 1, `limit=${limit} was rejected`),
      ),
      exact: rejected.flatMap(({ request, limit }) => findStatedLimit(request, Number(limit))),
    }),
  });
}

/** One finding for the fields of an object. */
function joinFindings(fields: Readonly<Record<string, Finding>>): Finding {
  const entries = Object.entries(fields);
  const select = (each: Finding['verdict']) => entries.filter(([, finding]) => finding.verdict === each);
  const verdict = select('different').length > 0 ? 'different' : 'confirmed';
  const relevant = select(verdict);
  if (relevant.length === 0) return NO_EVIDENCE;
  const toObject = (key: 'observed' | 'override'): ConfigValue | null => {
    const known = relevant.filter(([, finding]) => finding[key] !== null);
    return known.length === 0
      ? null
      : Object.fromEntries(known.map(([name, finding]) => [name, finding[key] ?? '']));
  };
  const needed = relevant.flatMap(([name, finding]) =>
    finding.needed === null ? [] : [`${name}: ${finding.needed}`],
  );
  return {
    verdict,
    observed: toObject('observed'),
    override: toObject('override'),
    needed: needed.join('; ') || null,
    evidence: relevant.flatMap(([, { evidence }]) => evidence),
  };
}

/** `"api-key";q=200;w=2`: the burst, and the seconds in which it refills. */
const POLICY = /;\s*q=(\d+)(?:.*;\s*w=(\d+))?/;

function compareRateLimit(requests: Requests, configured: Rules['rateLimit']): Finding {
  const present = configured === null ? 'off' : { per_second: configured.perSecond, burst: configured.burst };
  const limited = requests.flatMap((request) => {
    const policy = POLICY.exec(request.responseHeaders.get('ratelimit-policy') ?? '');
    return policy === null
      ? []
      : [{ request, burst: Number(policy[1]), windowSeconds: Number(policy[2] ?? 1) }];
  });
  const denied = requests.filter(({ status }) => status === 429);
  const [first] = limited;
  if (first === undefined) {
    const sightings = denied.map((request) =>
      sighting(request, '', '429, without a header that states the limit'),
    );
    return sightings.length === 0 || configured !== null
      ? NO_EVIDENCE
      : differ(null, sightings, { needed: 'the limit, which no header states' });
  }
  const { burst, windowSeconds } = first;
  const stated = denied.flatMap((request) => listNumbers(request).slice(0, 1));
  // The window is the time in which the burst refills, rounded up to seconds.
  const min = Math.max(burst / windowSeconds, ...stated);
  const max = Math.min(windowSeconds > 1 ? burst / (windowSeconds - 1) : Number.POSITIVE_INFINITY, ...stated);
  const isPossible =
    configured?.burst === burst && configured.perSecond >= min && configured.perSecond <= max;
  const perSecond = isPossible ? configured.perSecond : Math.ceil(min);
  const value = { per_second: perSecond, burst };
  return compareSightings(
    present,
    limited.map(({ request }) =>
      sighting(request, value, `RateLimit-Policy: ${request.responseHeaders.get('ratelimit-policy')}`),
    ),
  );
}

function compareBodyLimit(requests: Requests, configured: number): Finding {
  const sized = requests.flatMap((request) => {
    const { bytes } = request.body;
    return bytes === null || request.method !== 'POST' || [0, 401, 429].includes(request.status)
      ? []
      : [{ request, bytes, text: `${request.status} for a body of ${bytes} bytes` }];
  });
  const rejected = sized.filter(({ request }) => request.status === 413);
  const accepted = sized.filter(({ request }) => request.status !== 413);
  const limits = {
    min: accepted.map(({ request, bytes, text }) => sighting(request, bytes, text)),
    max: rejected.map(({ request, bytes, text }) => sighting(request, bytes - 1, text)),
    exact: rejected.flatMap(({ request, bytes }) => findStatedLimit(request, bytes)),
  };
  return compareRange(configured, limits, {
    propose: (min, max) => {
      // The last limit of whole KiB that is possible, if a smaller body was accepted that comes close to it.
      const whole = Math.floor(max / 1024) * 1024;
      if (min > 0 && whole >= min && whole - min < 1024 * 1024) return whole;
      return max === min ? max : null;
    },
    toConfigValue: formatBytes,
  });
}

function formatBytes(bytes: number): string {
  if (bytes % 1024 ** 2 === 0) return `${bytes / 1024 ** 2}MiB`;
  return bytes % 1024 === 0 ? `${bytes / 1024}KiB` : `${bytes}B`;
}

/** Pairs each request with the first successful one that has the same idempotency key. */
function listRepeatedRequests(requests: Requests) {
  const firsts = new Map<string, ApiRequest>();
  return requests.flatMap((repeated) => {
    const key = readIdempotencyKey(repeated.headers.get('idempotency-key') ?? '');
    const { id } = listFields(repeated.responseJson);
    if (key === null || repeated.method !== 'POST' || (isSuccess(repeated) && id === undefined)) return [];
    const first = firsts.get(key);
    const isReplay = isSuccess(repeated) && id === listFields(first?.responseJson).id;
    const isSamePath = first?.path === repeated.path;
    const isSameBody = first?.body.content.toString() === repeated.body.content.toString();
    // The first request, or the first one after the key was free again.
    if (isSuccess(repeated) && (first === undefined || (isSamePath && isSameBody && !isReplay))) {
      firsts.set(key, repeated);
    }
    return first === undefined ? [] : [{ first, repeated, isSameBody, isSamePath, isReplay }];
  });
}

/** The findings for the gaps `idempotency.*`. */
function compareIdempotency(requests: Requests, configured: Rules['idempotency']) {
  const repeats = listRepeatedRequests(requests);
  const same = repeats.filter(
    ({ isSamePath, isSameBody, repeated }) => isSamePath && isSameBody && isSuccess(repeated),
  );
  const scopes = repeats.flatMap(({ repeated, isSamePath }): Sighting[] => {
    const isConflict = repeated.status === 409 || /idempoten/i.test(repeated.failure?.code ?? '');
    if (isSamePath || (!isSuccess(repeated) && !isConflict)) return [];
    const text = `${repeated.status} for the idempotency key of a request to another path`;
    return [sighting(repeated, isConflict ? 'api_key' : 'api_key_method_path', text)];
  });
  const listAges = (isReplay: boolean) =>
    same
      .filter((pair) => pair.isReplay === isReplay)
      .map(({ first, repeated }) => {
        const ageMs = repeated.at - first.at;
        const result = isReplay ? 'the stored response' : 'a new response';
        return sighting(repeated, ageMs, `${result} after ${formatDuration(ageMs)}`);
      });
  const limits = { min: listAges(true), max: listAges(false) };
  const retention = compareRange(configured.retentionMs, limits, {
    propose: proposeRetention,
    toConfigValue: formatDuration,
  });
  const replays = same
    .filter(({ isReplay }) => isReplay)
    .map(({ first, repeated }) => {
      const isMarked = repeated.responseHeaders.get('idempotent-replayed') === 'true';
      const isSame =
        first.status === repeated.status && isDeepStrictEqual(first.responseJson, repeated.responseJson);
      const text = `${isSame ? 'the same' : 'another'} response, ${isMarked ? 'with' : 'without'} Idempotent-Replayed`;
      return sighting(repeated, isMarked && isSame, text);
    });
  // After the retention time, the key can be used again.
  const conflicts = repeats.filter(
    ({ first, repeated, isSamePath, isSameBody }) =>
      isSamePath &&
      !isSameBody &&
      (isSuccess(repeated)
        ? repeated.at - first.at < MINUTE_MS
        : /idempoten|conflict/i.test(repeated.failure?.code ?? '')),
  );
  return {
    'idempotency.scope': joinFindings({
      unique_within: compareSightings(configured.scope, scopes),
      retention,
    }),
    'idempotency.replay': compareFixed(replays),
    'idempotency.conflict': compareFixed(
      conflicts.map(({ repeated }) => {
        const code = repeated.failure?.code ?? '';
        return sighting(
          repeated,
          code === 'idempotency_key_reused' && repeated.status === 422,
          `${repeated.status} ${code}`,
        );
      }),
    ),
  };
}

const RETENTIONS = listDurations('1m 5m 10m 15m 30m 1h 2h 3h 6h 12h 1d 2d 3d 7d 14d 30d');

/** The usual time between both limits. Without one of them, none is more likely than another. */
function proposeRetention(min: number, max: number): number | null {
  const usual = RETENTIONS.filter((ms) => ms >= min && ms <= max);
  if (min === 0 || max === Number.POSITIVE_INFINITY || usual.length > 1) return null;
  return usual[0] ?? roundDuration(max);
}

/** A connection that ends earlier was broken. */
const MIN_TIMEOUT_MS = 100;
/** Attempts without a response that a time limit ended. */
const TIMED_OUT = /time.?out|timed out|aborted|disconnect|closed/i;

function compareTimeout(attempts: readonly DeliveryAttempt[], configuredMs: number): Finding {
  const toValue = (ms: number) => ({ attempt: formatDuration(ms) });
  const ended = attempts.filter(
    ({ status, error, durationMs }) =>
      status === 0 &&
      TIMED_OUT.test(error) &&
      !/connect to|connecting|reset/i.test(error) &&
      Number(durationMs) >= MIN_TIMEOUT_MS,
  );
  // The receiver measures from when the request arrives until it notices that the connection was closed.
  const longestMs = configuredMs * 1.1 + 500;
  const limits = ended.map((exchange) => {
    const ms = Number(exchange.durationMs);
    const isConfigured = ms >= configuredMs * 0.9 && ms <= longestMs;
    const value = toValue(isConfigured ? configuredMs : roundDuration(ms, 0.08));
    return { exchange, value, text: `no response after ${formatDuration(ms)}` };
  });
  if (limits.length > 0) return compareSightings(toValue(configuredMs), limits);
  const late = attempts
    .filter(({ status, durationMs }) => status !== 0 && Number(durationMs) > longestMs)
    .map((exchange) => ({
      exchange,
      text: `${exchange.status} after ${formatDuration(Number(exchange.durationMs))}`,
    }));
  return late.length === 0
    ? NO_EVIDENCE
    : differ(null, late, {
        needed: 'the time limit of an attempt, which is longer than the recorded responses',
      });
}
