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
import { roundDuration } from './retry-evidence.ts';

type Requests = readonly ApiRequest[];

function ofOperation(requests: Requests, operation: OperationName): Requests {
  return requests.filter((request) => request.operation === operation);
}

function sighting<Value>(exchange: ApiRequest, value: Value, text: string): Sighting<Value> {
  return { exchange, value, text: `${exchange.method} ${exchange.path}: ${text}` };
}

/** The numbers in a message, without units. */
function listNumbers(message: string): number[] {
  return Array.from(message.matchAll(/(?<![\w.-])\d[\d,_]*(?![\w.]*\w)/g), ([text]) =>
    Number(text.replace(/[,_]/g, '')),
  );
}

export function compareWebhookLimit(requests: Requests, configured: number): Finding {
  const created = ofOperation(requests, 'createWebhook').filter(isSuccess);
  const perWorkspace = groupBy(created, ({ json }) => String(listFields(json).workspace_id));
  const min = perWorkspace.flatMap((group) => {
    const count = new Set(group.map(({ responseJson }) => listFields(responseJson).id)).size;
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

export function compareListLimit(requests: Requests, { defaultLimit, maxLimit }: Rules['list']): Finding {
  const lists = ofOperation(requests, 'listEvents').map((request) => {
    const limit = request.query.get('limit');
    const data = listFields(request.responseJson).data;
    const count = isSuccess(request) && Array.isArray(data) ? data.length : null;
    return { request, count, hasMore: listFields(request.responseJson).has_more === true, limit };
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

/** `"api-key";q=200;w=2`: the burst, and the seconds in which it refills. */
const POLICY = /;\s*q=(\d+)(?:.*;\s*w=(\d+))?/;
export function compareRateLimit(requests: Requests, configured: Rules['rateLimit']): Finding {
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
  const stated = denied.flatMap(({ failure }) => listNumbers(failure?.message ?? '').slice(0, 1));
  // The window is the time in which the burst refills, rounded up to seconds.
  const min = Math.max(burst / windowSeconds, ...stated);
  const max = Math.min(windowSeconds > 1 ? burst / (windowSeconds - 1) : Number.POSITIVE_INFINITY, ...stated);
  const isPossible =
    configured?.burst === burst && configured.perSecond >= min && configured.perSecond <= max;
  const perSecond = isPossible ? configured.perSecond : roundestBetween(Math.ceil(min), Math.floor(max));
  const value = { per_second: perSecond, burst };
  return compareSightings(
    present,
    limited.map(({ request }) =>
      sighting(request, value, `RateLimit-Policy: ${request.responseHeaders.get('ratelimit-policy')}`),
    ),
  );
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
interface RepeatedRequest {
  readonly first: ApiRequest;
  readonly repeated: ApiRequest;
  readonly isSameBody: boolean;
  readonly isSamePath: boolean;
  /** Whether the response is that to the first request. */
  readonly isReplay: boolean;
}

/** Pairs each request with the first successful one that has the same idempotency key. */
function listRepeatedRequests(requests: Requests): RepeatedRequest[] {
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
export function compareIdempotency(requests: Requests, configured: Rules['idempotency']) {
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
  const retention = compareRange(configured.retentionMs, limits, proposeRetention, formatDuration);
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
