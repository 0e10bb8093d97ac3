/** Finds out when a service retries, from the times between the attempts of each delivery. */
import { formatDuration, MINUTE_MS, parseDuration, SECOND_MS } from '../domain/duration.ts';
import { MAX_RETRY_DELAY_MS, parseRetryAfter, RETRY_WINDOW_MS } from '../domain/retry-policy.ts';
import type { Rules } from '../profile/rules.ts';
import { type DeliveryAttempt, isSuccess } from './exchange.ts';
import {
  compareFixed,
  compareSightings,
  confirm,
  differ,
  type Finding,
  groupBy,
  NO_EVIDENCE,
  type Sighting,
} from './finding.ts';

/** The time from a failed attempt to the next one. */
interface Wait {
  /** 0 after the first attempt. */
  readonly index: number;
  readonly ms: number;
  /** Time that the receiver asked for, from the failed attempt; null without a valid `Retry-After`. */
  readonly requestedMs: number | null;
  readonly status: number;
  readonly next: DeliveryAttempt;
  /** Time from the first attempt to the next one. */
  readonly sinceFirstMs: number;
}

/** The findings about retries, and the attempts after the end of the retry window (§6). */
export function findRetries(attempts: readonly DeliveryAttempt[], { retry }: Rules) {
  const deliveries = groupBy(
    attempts.filter(({ id }) => id !== ''),
    ({ id }) => id,
  );
  const waits = deliveries.map(listWaits).flatMap((each) => (lacksAttempts(each, retry) ? [] : each));
  const plain = waits.filter(({ requestedMs, status }) => requestedMs === null && status !== 410);
  const redirected = waits.filter(({ status }) => status >= 300 && status < 400);
  const late = waits.filter(
    ({ sinceFirstMs }) => sinceFirstMs > RETRY_WINDOW_MS + toleranceOf(RETRY_WINDOW_MS),
  );
  const { schedule, jitter, delaysMs } = compareSchedule(plain, retry);
  return {
    findings: {
      'retry.schedule': schedule,
      'retry.jitter': jitter,
      'retry.after': compareRetryAfter(waits, retry.honorRetryAfter, delaysMs),
      'retry.410': compare410(deliveries, retry.stopOn410, delaysMs),
      'delivery.success': compareFixed(
        redirected.map(({ next, status }) => ({
          exchange: next,
          value: true,
          text: `a retry after ${status}`,
        })),
      ),
    },
    late: late.map((wait) =>
      toSighting(wait, `a retry ${formatDuration(wait.sinceFirstMs)} after the first attempt`),
    ),
  };
}

function delayAt(delaysMs: readonly number[], index: number): number {
  return delaysMs[index] ?? delaysMs.at(-1) ?? MAX_RETRY_DELAY_MS;
}

function timeOf({ attempt, at }: DeliveryAttempt): number {
  return attempt?.dueAt ?? at;
}

/** Replays and attempts after a success are not retries. */
function listWaits(attempts: readonly DeliveryAttempt[]): Wait[] {
  const waits: Wait[] = [];
  for (const [index, next] of attempts.slice(1).entries()) {
    const failed = attempts[index];
    if (failed === undefined || isSuccess(failed) || next.attempt?.isManual || failed.attempt?.isManual)
      break;
    const retryAfter = failed.responseHeaders.get('retry-after');
    const endedAt = failed.at + (failed.durationMs ?? 0);
    const afterMs = retryAfter === undefined ? null : parseRetryAfter(retryAfter, endedAt);
    const requestedMs = afterMs === null ? null : endedAt - failed.at + afterMs;
    const sinceFirstMs = timeOf(next) - timeOf(attempts[0] ?? failed);
    waits.push({
      index,
      ms: timeOf(next) - timeOf(failed),
      requestedMs,
      status: failed.status,
      next,
      sinceFirstMs,
    });
  }
  return waits;
}

/** How much later than planned an attempt can be recorded. */
function toleranceOf(ms: number): number {
  return Math.min(MINUTE_MS, 0.05 * ms + 100);
}

function compareSchedule(waits: readonly Wait[], { delaysMs: configured, jitter }: Rules['retry']) {
  const fits = ({ index, ms }: Wait) => isWithin(ms, delayAt(configured, index), jitter);
  const relevant = groupBy(waits, ({ index }) => String(index))
    .sort((a, b) => indexOf(a) - indexOf(b))
    .map((group) => withoutOutliers(group, fits));
  const samples = relevant.flat();
  if (samples.length === 0) return { schedule: NO_EVIDENCE, jitter: NO_EVIDENCE, delaysMs: configured };
  const estimate = estimateSchedule(relevant, configured);
  const isConfigured = estimate.delaysMs.every((ms, index) => ms === delayAt(configured, index));
  const delaysMs = isConfigured ? configured : completeSchedule(estimate.delaysMs, configured);
  const observed = delaysMs.map(formatDuration);
  const sightings = relevant.flatMap((group) =>
    group
      .slice(0, 1)
      .map((wait) => toSighting(wait, `${formatDuration(wait.ms)} after attempt ${wait.index + 1}`)),
  );
  return {
    schedule: isConfigured
      ? confirm(observed, sightings)
      : differ(observed, sightings, { override: observed }),
    jitter: compareJitter(samples, estimate, jitter),
    delaysMs,
  };
}

function indexOf([first]: readonly Wait[]): number {
  return first?.index ?? 0;
}

function toSighting(wait: Wait, text: string): Sighting {
  return { exchange: wait.next, value: wait.ms, text };
}

function isWithin(ms: number, delayMs: number, jitter: number): boolean {
  const tolerance = toleranceOf(delayMs);
  const longest = Math.max(delayMs, Math.min(delayMs * (1 + jitter), MAX_RETRY_DELAY_MS));
  return ms >= delayMs * (1 - jitter) - tolerance && ms <= longest + tolerance;
}

/**
 * Whether attempts of a delivery are not in the recording, for example because the receiver was down: some waits are as long as
 * several of the configured ones, and the others fit.
 */
function lacksAttempts(waits: readonly Wait[], { delaysMs, jitter }: Rules['retry']): boolean {
  let index = 0;
  for (const { ms } of waits) {
    let plannedMs = delayAt(delaysMs, index++);
    while (!isWithin(ms, plannedMs, jitter) && plannedMs < ms && index < 100)
      plannedMs += delayAt(delaysMs, index++);
    if (!isWithin(ms, plannedMs, jitter)) return false;
  }
  return index > waits.length;
}

/** If the waits of an index disagree and most of them are as configured, the others are replays. */
function withoutOutliers(group: readonly Wait[], fits: (wait: Wait) => boolean): readonly Wait[] {
  const fitting = group.filter(fits);
  return 2 * fitting.length > group.length ? fitting : group;
}

interface Estimate {
  /** Sparse: it has no element where no wait was recorded. */
  readonly delaysMs: readonly number[];
  /** The largest relative distance from the delays. */
  readonly spread: number;
}

/**
 * Without jitter, all waits of an index are the same. With jitter, its delay is the configured or round one that needs about as
 * much jitter as the other indexes.
 */
function estimateSchedule(groups: readonly (readonly Wait[])[], configured: readonly number[]): Estimate {
  const delaysMs: number[] = [];
  const varies = groups.some((group) => {
    const [min, max] = limitsOf(group);
    return max - min > toleranceOf(max);
  });
  if (!varies) {
    for (const group of groups) {
      const [min] = limitsOf(group);
      const configuredMs = delayAt(configured, indexOf(group));
      delaysMs[indexOf(group)] = isWithin(min, configuredMs, 0) ? configuredMs : roundDuration(min);
    }
    return { delaysMs, spread: 0 };
  }
  const needed = (group: readonly Wait[], delayMs: number) =>
    Math.max(...group.filter(isBelowMaximum).map(({ ms }) => Math.abs(ms - delayMs) / delayMs), 0);
  const candidates = (group: readonly Wait[]) => [delayAt(configured, indexOf(group)), ...ROUND_DELAYS];
  const unlimited = groups.filter((group) => group.length > 1 && group.every(isBelowMaximum));
  const measured = unlimited.length > 0 ? unlimited : groups;
  const spread = Math.max(
    ...measured.map((group) => Math.min(...candidates(group).map((delayMs) => needed(group, delayMs)))),
  );
  for (const group of groups) {
    const configuredMs = delayAt(configured, indexOf(group));
    const [min, max] = limitsOf(group);
    const isPossible = (delayMs: number) =>
      needed(group, delayMs) <= spread * 1.02 && delayMs * (1 + spread) >= max - toleranceOf(max);
    // The delay is in the middle of its waits, unless the maximum shortened some of them.
    const distance = (delayMs: number) =>
      (isPossible(delayMs) ? 0 : 1) +
      (group.every(isBelowMaximum)
        ? Math.abs((min + max) / 2 - delayMs) / delayMs
        : Math.abs(needed(group, delayMs) - spread));
    const isConfigured = delaysMs.every((delayMs, index) => delayMs === delayAt(configured, index));
    // The last wait repeats. There are few late attempts, so that their waits are not enough to find the delay.
    const likely = isConfigured ? [configuredMs] : [delaysMs.at(-1) ?? 0, configuredMs];
    const [closest = 0] = ROUND_DELAYS.toSorted((a, b) => distance(a) - distance(b));
    delaysMs[indexOf(group)] = likely.find((delayMs) => delayMs > 0 && isPossible(delayMs)) ?? closest;
  }
  return { delaysMs, spread };
}

/** Jitter does not make a wait longer than the maximum (§8). */
function isBelowMaximum({ ms }: Wait): boolean {
  return ms < MAX_RETRY_DELAY_MS - SECOND_MS;
}

function limitsOf(group: readonly Wait[]): readonly [min: number, max: number] {
  const times = group.map(({ ms }) => ms);
  return [Math.min(...times), Math.max(...times)];
}

/** @param text durations, separated by spaces */
export function listDurations(text: string): number[] {
  return text.split(' ').map((duration) => parseDuration(duration) ?? 0);
}

const ROUND_DELAYS = listDurations(
  '1s 2s 3s 5s 10s 15s 20s 30s 45s 1m 2m 3m 5m 10m 15m 20m 30m 45m 1h 2h 3h 4h 6h 8h 12h 18h 24h',
);
/** The steps to which people round durations. */
const STEPS = listDurations('1d 12h 6h 1h 30m 15m 10m 5m 1m 30s 15s 10s 5s 1s 500ms 100ms 50ms 10ms 1ms');

/** The roundest duration that is at most a share of it away. */
export function roundDuration(ms: number, share = 0.02): number {
  const step = STEPS.find(
    (each) => ms >= each && Math.abs(ms - Math.round(ms / each) * each) <= share * ms + 30,
  );
  return step === undefined ? Math.max(1, Math.round(ms)) : Math.round(ms / step) * step;
}

/** The observed delays, without repetitions of the last one, then the configured ones for the attempts that were not seen. */
function completeSchedule(observed: readonly number[], configured: readonly number[]): number[] {
  const delaysMs = Array.from(observed.keys(), (index) => observed[index] ?? delayAt(configured, index));
  const total = delaysMs.reduce((sum, ms) => sum + ms, 0);
  const isComplete = total + (delaysMs.at(-1) ?? 0) > RETRY_WINDOW_MS;
  const isRepeating = delaysMs.length > 2 && new Set(delaysMs.slice(-3)).size === 1;
  if (!isComplete && !isRepeating) delaysMs.push(...configured.slice(delaysMs.length));
  while (delaysMs.length > 1 && delaysMs.at(-1) === delaysMs.at(-2)) delaysMs.pop();
  let sum = 0;
  return delaysMs.filter((ms, index) => {
    sum += ms;
    return index === 0 || sum <= RETRY_WINDOW_MS;
  });
}

/** Waits that are needed to be sure of the jitter: with fewer, all can be close to the delay by chance. */
const MIN_JITTER_SAMPLES = 20;

function compareJitter(
  samples: readonly Wait[],
  { delaysMs, spread }: Estimate,
  configured: number,
): Finding {
  const sightings = samples
    .filter(isBelowMaximum)
    .map((wait) => {
      const delayMs = delayAt(delaysMs, wait.index);
      const text = `${formatDuration(wait.ms)} instead of ${formatDuration(delayMs)}`;
      return { ...toSighting(wait, text), deviation: Math.abs(wait.ms - delayMs) / delayMs };
    })
    .sort((a, b) => b.deviation - a.deviation);
  const isSure = sightings.length >= MIN_JITTER_SAMPLES;
  if (spread === 0) {
    if (configured === 0) return sightings.length > 1 ? confirm(0, sightings) : NO_EVIDENCE;
    return isSure ? differ(0, sightings, { override: 0 }) : NO_EVIDENCE;
  }
  const estimate = roundJitter((spread * (sightings.length + 1)) / sightings.length);
  if (estimate === configured) return confirm(configured, sightings);
  if (estimate < configured && !isSure) return NO_EVIDENCE;
  return differ(estimate, sightings, { override: estimate });
}

function roundJitter(share: number): number {
  const step = share < 0.095 ? 0.01 : 0.05;
  return Math.min(0.5, Number((Math.round(share / step) * step).toFixed(2)));
}

function compareRetryAfter(waits: readonly Wait[], isHonored: boolean, delaysMs: readonly number[]): Finding {
  const sightings = waits.flatMap((wait) => {
    const { index, ms, requestedMs } = wait;
    const delayMs = delayAt(delaysMs, index);
    // A shorter request has no effect, and a request near the delay looks the same as the delay.
    if (requestedMs === null || requestedMs < 1.6 * delayMs || delayMs >= MAX_RETRY_DELAY_MS / 1.6) return [];
    const text = `${formatDuration(ms)} after a response that asked for ${formatDuration(requestedMs)}`;
    if (isWithin(ms, Math.min(requestedMs, MAX_RETRY_DELAY_MS), 0))
      return [{ exchange: wait.next, value: 'honored', text }];
    return canBeRetry(ms, delayMs) ? [{ exchange: wait.next, value: 'ignored', text }] : [];
  });
  return compareSightings(isHonored ? 'honored' : 'ignored', sightings);
}

/** Whether a wait is not longer than the delay with the largest jitter. */
function canBeRetry(ms: number, delayMs: number): boolean {
  return ms <= 1.5 * delayMs + toleranceOf(delayMs);
}

function compare410(
  deliveries: readonly (readonly DeliveryAttempt[])[],
  stops: boolean,
  delaysMs: readonly number[],
): Finding {
  const sightings = deliveries.flatMap((attempts): Sighting[] => {
    const index = attempts.findIndex(({ status }) => status === 410);
    const [gone, next] = attempts.slice(index, index + 2);
    if (index < 0 || gone === undefined || gone.attempt?.isManual) return [];
    const delayMs = delayAt(delaysMs, index);
    if (next !== undefined) {
      const isRetry = !next.attempt?.isManual && canBeRetry(timeOf(next) - timeOf(gone), delayMs);
      return isRetry ? [{ exchange: next, value: 'failure', text: 'a retry after 410' }] : [];
    }
    const latestAt = timeOf(gone) + 1.6 * delayMs + MINUTE_MS;
    const isWindowOver = latestAt - timeOf(attempts[0] ?? gone) > RETRY_WINDOW_MS;
    const continues = deliveries
      .flat()
      .some((other) => other.url.href === gone.url.href && timeOf(other) > latestAt);
    if (!continues || isWindowOver) return [];
    const text = `no retry after 410, which was due after ${formatDuration(delayMs)}`;
    return [{ exchange: gone, value: 'stop', text }];
  });
  return compareSightings(stops ? 'stop' : 'failure', sightings);
}
