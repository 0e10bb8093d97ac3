/** Finds out the rate limit, the time limit of an attempt, and how a service handles idempotency keys. */
import { isDeepStrictEqual } from 'node:util';
import { formatDuration, MINUTE_MS } from '../domain/duration.ts';
import { readIdempotencyKey } from '../domain/idempotency-key.ts';
import type { Rules } from '../profile/rules.ts';
import { type ApiRequest, type DeliveryAttempt, isSuccess, listFields, type Traffic } from './exchange.ts';
import {
  compareFixed,
  compareRange,
  compareSightings,
  type Deviation,
  differ,
  type Finding,
  joinFindings,
  NO_EVIDENCE,
  type Range,
  type Sighting,
} from './finding.ts';
import { listNumbers } from './request-checks.ts';
import { listDurations, roundDuration } from './retry-evidence.ts';

export function compareLimits({ requests, attempts }: Traffic, rules: Rules) {
  return {
    ...compareIdempotency(requests, rules.idempotency),
    'delivery.timeout': compareTimeout(attempts, rules.delivery.attemptTimeoutMs),
    'rate.limit': compareRateLimit(requests, rules.rateLimit),
  };
}

/** `"api-key";q=200;w=2`: the burst, and the seconds in which it refills, rounded up. */
const POLICY = /;\s*q=(\d+)(?:.*;\s*w=(\d+))?/;

function compareRateLimit(requests: readonly ApiRequest[], configured: Rules['rateLimit']): Finding {
  const denied = requests.find(({ status }) => status === 429);
  const limited = requests.find(({ responseHeaders }) =>
    POLICY.test(responseHeaders.get('ratelimit-policy') ?? ''),
  );
  if (limited === undefined) {
    const text = '429, without a header that states the limit';
    return denied === undefined || configured !== null
      ? NO_EVIDENCE
      : differ(null, [{ exchange: denied, value: '', text }], 'the limit, which no header states');
  }
  const policy = limited.responseHeaders.get('ratelimit-policy') ?? '';
  const [, quota, window = 1] = POLICY.exec(policy) ?? [];
  const [burst, seconds] = [Number(quota), Number(window)];
  const [stated = Math.ceil(burst / seconds)] = denied === undefined ? [] : listNumbers(denied);
  const { perSecond = 0 } = configured ?? {};
  const isPossible = perSecond * seconds >= burst && perSecond * (seconds - 1) <= burst;
  const observed = { per_second: denied === undefined && isPossible ? perSecond : stated, burst };
  return compareSightings(configured === null ? 'off' : { per_second: perSecond, burst: configured.burst }, [
    { exchange: limited, value: observed, text: `RateLimit-Policy: ${policy}` },
  ]);
}

/** Pairs each request with the first successful one that has the same idempotency key. */
function listRepeatedRequests(requests: readonly ApiRequest[]) {
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

const RETENTIONS = listDurations('1m 5m 10m 15m 30m 1h 2h 3h 6h 12h 1d 2d 3d 7d 14d 30d');

/** The findings for the gaps `idempotency.*`. */
function compareIdempotency(requests: readonly ApiRequest[], configured: Rules['idempotency']) {
  const scopes: Sighting[] = [];
  const retentions: Sighting<Range>[] = [];
  const replays: Sighting<Deviation>[] = [];
  const conflicts: Sighting<Deviation>[] = [];
  for (const { first, repeated: exchange, ...pair } of listRepeatedRequests(requests)) {
    const { isSamePath, isSameBody, isReplay } = pair;
    const { status, failure, responseHeaders } = exchange;
    const code = failure?.code ?? '';
    const isConflict = status === 409 || /idempoten|conflict/i.test(code);
    const ageMs = exchange.at - first.at;
    if (!isSuccess(exchange) && !isConflict) continue;
    if (!isSamePath) {
      const text = `${status} for the idempotency key of a request to another path`;
      scopes.push({ exchange, value: isConflict ? 'api_key' : 'api_key_method_path', text });
    } else if (!isSameBody) {
      const value = code === 'idempotency_key_reused' && status === 422 ? null : `${status} ${code}`;
      // After the retention time, the key can be used again.
      if (isConflict || ageMs < MINUTE_MS) conflicts.push({ exchange, value });
    } else if (isSuccess(exchange)) {
      const result = isReplay ? 'the stored response' : 'a new response';
      const value = isReplay ? { min: ageMs } : { max: ageMs };
      retentions.push({ exchange, value, text: `${result} after ${formatDuration(ageMs)}` });
      if (!isReplay) continue;
      const isMarked = responseHeaders.get('idempotent-replayed') === 'true';
      const isSame = first.status === status && isDeepStrictEqual(first.responseJson, exchange.responseJson);
      const deviation = `${isSame ? 'the same' : 'another'} response, ${isMarked ? 'with' : 'without'} Idempotent-Replayed`;
      replays.push({ exchange, value: isMarked && isSame ? null : deviation });
    }
  }
  return {
    'idempotency.scope': joinFindings({
      unique_within: compareSightings(configured.scope, scopes),
      retention: compareRange(configured.retentionMs, retentions, formatDuration, RETENTIONS),
    }),
    'idempotency.replay': compareFixed(replays),
    'idempotency.conflict': compareFixed(conflicts),
  };
}

/** A connection that ends earlier was broken. */
const MIN_TIMEOUT_MS = 100;
/** Attempts without a response that a time limit ended. */
const TIMED_OUT = /time.?out|timed out|aborted|disconnect|closed/i;
const BROKEN = /connect to|connecting|reset/i;

function compareTimeout(attempts: readonly DeliveryAttempt[], configuredMs: number): Finding {
  // The receiver measures from when the request arrives until it notices that the connection was closed.
  const longestMs = configuredMs * 1.1 + 500;
  const sightings = attempts.flatMap((exchange): Sighting<Range>[] => {
    const { status, error, durationMs } = exchange;
    const ms = durationMs ?? 0;
    const isTimeout = status === 0 && TIMED_OUT.test(error) && !BROKEN.test(error) && ms >= MIN_TIMEOUT_MS;
    const isConfigured = ms >= configuredMs * 0.9 && ms <= longestMs;
    const limitMs = isConfigured ? configuredMs : roundDuration(ms, 0.08);
    const text = `it ended after ${formatDuration(ms)}`;
    if (isTimeout) return [{ exchange, text, value: { min: limitMs, max: limitMs } }];
    return status !== 0 && ms > longestMs ? [{ exchange, text, value: { min: ms } }] : [];
  });
  return joinFindings({ attempt: compareRange(configuredMs, sightings, formatDuration) });
}
