/** Finds out how a service handles idempotency keys. */
import { isDeepStrictEqual } from 'node:util';
import { formatDuration, MINUTE_MS } from '../domain/duration.ts';
import { readIdempotencyKey } from '../domain/idempotency-key.ts';
import type { Rules } from '../profile/rules.ts';
import { type ApiRequest, isSuccess, listFields } from './exchange.ts';
import {
  compareFixed,
  compareRange,
  compareSightings,
  type Deviation,
  joinFindings,
  type Range,
  type Sighting,
} from './finding.ts';
import { listDurations } from './retry-evidence.ts';

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
export function compareIdempotency(requests: readonly ApiRequest[], configured: Rules['idempotency']) {
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
