/** Finds out when a service retries, from the times between the attempts of each delivery. */
import { formatDuration, MINUTE_MS, parseDuration } from '../domain/duration.ts';
import {
  decideRetry,
  MAX_RETRY_DELAY_MS,
  parseRetryAfter,
  RETRY_WINDOW_MS,
  type RetryPolicy,
} from '../domain/retry-policy.ts';
import {
  compareFixed,
  compareRange,
  compareSightings,
  confirm,
  differ,
  type Finding,
  groupBy,
  joinFindings,
  NO_EVIDENCE,
  type Range,
  type Sighting,
} from './finding.ts';
import { type DeliveryAttempt, isSuccess } from './sort-traffic.ts';

type Attempts = readonly DeliveryAttempt[];

const LATEST_RETRY_MS = RETRY_WINDOW_MS + MINUTE_MS;

/** A failed attempt, and the time to the next one. */
interface Wait {
  /** 0 after the first attempt. */
  readonly index: number;
  readonly first: DeliveryAttempt;
  readonly failed: DeliveryAttempt;
  readonly next: DeliveryAttempt | undefined;
  /** Infinite if no later attempt was recorded. */
  readonly ms: number;
  readonly retryAfterMs: number | null;
}

export function findRetries(attempts: Attempts, retry: RetryPolicy) {
  const identified = attempts.filter(({ id }) => id !== '');
  const waits = groupBy(identified, ({ id }) => id)
    .map(listWaits)
    .flatMap((each) => (lacksAttempts(each, retry) ? [] : each));
  const ended = waits.filter(({ next }) => next !== undefined);
  const plain = ended.filter(({ retryAfterMs, failed }) => retryAfterMs === null && failed.status !== 410);
  const { policy, findings } = compareSchedule(plain, retry);
  const late = ended.filter(({ first, failed, ms }) => failed.dueAt + ms - first.dueAt > LATEST_RETRY_MS);
  const redirected = ended.filter(({ failed }) => failed.status >= 300 && failed.status < 400);
  const lastTimes = new Map(identified.map(({ url, dueAt }) => [url.href, dueAt]));
  const compareChoices = (configured: string, choices: Readonly<Record<string, RetryPolicy>>) => {
    const sightings = waits.flatMap((wait) => {
      const lastAt = lastTimes.get(wait.failed.url.href) ?? 0;
      const fitting = Object.entries(choices).filter(([, choice]) => isPlanned(wait, choice, lastAt));
      return fitting.length === 1 ? fitting.map(([value]) => ({ ...toSighting(wait), value })) : [];
    });
    return compareSightings(configured, sightings);
  };
  return {
    ...findings,
    ...(late.length > 0 && {
      'retry.schedule': differ(null, late.map(toSighting), 'a retry window of more than 72h'),
    }),
    'retry.after': compareChoices(retry.honorRetryAfter ? 'honored' : 'ignored', {
      honored: { ...policy, honorRetryAfter: true },
      ignored: { ...policy, honorRetryAfter: false },
    }),
    'retry.410': compareChoices(retry.stopOn410 ? 'stop' : 'failure', {
      stop: { ...policy, stopOn410: true },
      failure: { ...policy, stopOn410: false },
    }),
    'delivery.success': compareFixed(redirected.map((wait) => ({ ...toSighting(wait), value: null }))),
  };
}

/** Whether the emulator with this policy would send the next attempt at this time, or not until `lastAt` if there is none. */
function isPlanned(wait: Wait, policy: RetryPolicy, lastAt: number): boolean {
  const { index, first, failed, next, ms, retryAfterMs } = wait;
  const ended = {
    ...{ attemptCount: index + 1, firstAttemptAt: first.dueAt, startedAt: failed.dueAt, retryAfterMs },
    ...{ endedAt: failed.dueAt + failed.durationMs, responseStatus: failed.status },
  };
  const earliest = decideRetry(policy, ended, () => 0);
  const latest = decideRetry(policy, ended, () => 1);
  if (earliest.status === 'failed' || latest.status === 'failed') return next === undefined;
  const tolerance = toleranceOf(latest.dueAt - failed.dueAt);
  const at = next === undefined ? lastAt : failed.dueAt + ms;
  const isEarlyEnough = at <= latest.dueAt + tolerance;
  return isEarlyEnough && (next === undefined || at >= earliest.dueAt - tolerance);
}

function delayAt(delaysMs: readonly number[], index: number): number {
  return delaysMs[index] ?? delaysMs.at(-1) ?? MAX_RETRY_DELAY_MS;
}

/** Up to the first success. Replays are not retries. */
function listWaits(attempts: Attempts): Wait[] {
  const waits: Wait[] = [];
  for (const [index, failed] of attempts.entries()) {
    const [first = failed, next] = [attempts[0], attempts[index + 1]];
    if (isSuccess(failed) || failed.isManual || next?.isManual) break;
    const header = failed.responseHeaders.get('retry-after') ?? '';
    const retryAfterMs = parseRetryAfter(header, failed.at + failed.durationMs);
    const ms = next === undefined ? Infinity : next.dueAt - failed.dueAt;
    waits.push({ index, first, failed, next, ms, retryAfterMs });
  }
  return waits;
}

/** How much later than planned an attempt can be recorded. */
function toleranceOf(ms: number): number {
  return Math.min(MINUTE_MS, 0.05 * ms + 100);
}

function isWithin(ms: number, delayMs: number, jitter: number): boolean {
  const tolerance = toleranceOf(delayMs);
  // Jitter does not make a wait longer than the maximum (§8).
  const longest = Math.max(delayMs, Math.min(delayMs * (1 + jitter), MAX_RETRY_DELAY_MS));
  return ms >= delayMs * (1 - jitter) - tolerance && ms <= longest + tolerance;
}

/**
 * Whether attempts of a delivery are not in the recording, for example because the receiver was down: some waits are as long as
 * several of the configured ones, and the others fit.
 */
function lacksAttempts(waits: readonly Wait[], { delaysMs, jitter }: RetryPolicy): boolean {
  const recorded = waits.filter(({ next }) => next !== undefined);
  let index = 0;
  for (const { ms } of recorded) {
    let plannedMs = delayAt(delaysMs, index++);
    while (!isWithin(ms, plannedMs, jitter) && plannedMs < ms && index < 100)
      plannedMs += delayAt(delaysMs, index++);
    if (!isWithin(ms, plannedMs, jitter)) return false;
  }
  return index > recorded.length;
}

/** Jitter values to try, smallest first. */
const JITTERS = [0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5];
/** Waits that are needed to be sure of a smaller jitter: with fewer, all can be close to the delay by chance. */
const MIN_JITTER_SAMPLES = 20;

function compareSchedule(waits: readonly Wait[], policy: RetryPolicy) {
  const { delaysMs: configured, jitter } = policy;
  const inOrder = waits.toSorted((a, b) => a.index - b.index);
  const groups = groupBy(inOrder, ({ index }) => String(index)).map((group) => {
    // If the waits after an attempt disagree and most of them are as configured, the others are replays.
    const fitting = group.filter(({ index, ms }) => isWithin(ms, delayAt(configured, index), jitter));
    return 2 * fitting.length > group.length ? fitting : group;
  });
  const sightings = groups.flatMap((group) => group.slice(0, 1).map(toSighting));
  if (sightings.length === 0) return { policy, findings: {} };
  for (const share of [...JITTERS, jitter].sort((a, b) => a - b)) {
    const fitted = fitDelays(groups, configured, share);
    if (fitted === null) continue;
    const isConfigured = fitted.every((ms, index) => ms === delayAt(configured, index));
    const delaysMs = isConfigured ? configured : completeSchedule(fitted, configured);
    const schedule = isConfigured ? confirm : differ;
    const findings = {
      'retry.schedule': schedule(delaysMs.map(formatDuration), sightings),
      'retry.jitter': compareJitter(share, jitter, groups.flat(), sightings),
    };
    return { policy: { ...policy, delaysMs, jitter: share }, findings };
  }
  const needed = 'a schedule whose waits vary by more than 50 %';
  return { policy, findings: { 'retry.schedule': differ(null, sightings, needed) } };
}

function compareJitter(
  share: number,
  configured: number,
  waits: readonly Wait[],
  sightings: readonly Sighting[],
): Finding {
  const longestMs = Math.max(...sightings.map(({ value }) => Number(value)));
  const isSure =
    waits.length >= MIN_JITTER_SAMPLES && share + toleranceOf(longestMs) / longestMs < configured;
  if (share === configured && waits.length > 1) return confirm(share, sightings);
  return share > configured || isSure ? differ(share, sightings) : NO_EVIDENCE;
}

function toSighting({ index, failed, next, ms }: Wait): Sighting {
  const retry = next === undefined ? 'no retry' : `a retry ${formatDuration(ms)}`;
  return { exchange: next ?? failed, value: ms, text: `${retry} after attempt ${index + 1}` };
}

/**
 * The delay after each attempt if all waits are within this jitter: the previous one, which repeats, the configured one, or the
 * usual one that is closest to the middle of the waits. Null if there is none for one of the attempts.
 */
function fitDelays(
  groups: readonly (readonly Wait[])[],
  configured: readonly number[],
  jitter: number,
): readonly number[] | null {
  const delaysMs: number[] = [];
  let isConfigured = true;
  for (const group of groups) {
    const index = group[0]?.index ?? 0;
    // The first attempts were not recorded, or the receiver asked for another delay.
    while (delaysMs.length < index) delaysMs.push(delayAt(configured, delaysMs.length));
    const times = group.map(({ ms }) => ms);
    const [min, max] = [Math.min(...times), Math.max(...times)];
    const configuredMs = delayAt(configured, index);
    const repeatedMs: number = isConfigured ? configuredMs : (delaysMs.at(-1) ?? 0);
    // The maximum shortens some of the waits.
    const middle = max > MAX_RETRY_DELAY_MS - MINUTE_MS ? MAX_RETRY_DELAY_MS : (min + max) / 2;
    const usual = USUAL_DELAYS.toSorted((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
    const measured = jitter === 0 ? [roundDuration(middle, 0.02)] : usual;
    const delayMs = [repeatedMs, configuredMs, ...measured].find((ms) =>
      times.every((time) => isWithin(time, ms, jitter)),
    );
    if (delayMs === undefined) return null;
    delaysMs.push(delayMs);
    isConfigured &&= delayMs === configuredMs;
  }
  return delaysMs;
}

/** With the configured delays for the attempts that were not recorded, at most as long as the retry window, and without repetitions at the end. */
function completeSchedule(fitted: readonly number[], configured: readonly number[]): number[] {
  const sum = (delaysMs: readonly number[]) => delaysMs.reduce((total, ms) => total + ms, 0);
  const isComplete = sum([...fitted, ...fitted.slice(-1)]) > RETRY_WINDOW_MS;
  const delaysMs = [...fitted, ...(isComplete ? [] : configured.slice(fitted.length))];
  const isTooLong = () => delaysMs.at(-1) === delaysMs.at(-2) || sum(delaysMs) > RETRY_WINDOW_MS;
  while (delaysMs.length > 1 && isTooLong()) delaysMs.pop();
  return delaysMs;
}

/** @param text durations, separated by spaces */
export function listDurations(text: string): number[] {
  return text.split(' ').map((duration) => parseDuration(duration) ?? 0);
}

const USUAL_DELAYS = listDurations(
  '1s 2s 3s 5s 10s 15s 20s 30s 45s 1m 2m 3m 5m 10m 15m 20m 30m 45m 1h 2h 3h 4h 6h 8h 12h 24h',
);
/** The steps to which people round durations. */
const STEPS = listDurations('1d 12h 6h 1h 30m 15m 10m 5m 1m 30s 15s 10s 5s 1s 500ms 100ms 50ms 10ms 1ms');

/** Rounds to the largest step within `share` of `ms`, plus 30 ms. */
function roundDuration(ms: number, share: number): number {
  const step = STEPS.find(
    (each) => ms >= each && Math.abs(ms - Math.round(ms / each) * each) <= share * ms + 30,
  );
  return step === undefined ? Math.max(1, Math.round(ms)) : Math.round(ms / step) * step;
}

/** A connection that ends earlier was broken. */
const MIN_TIMEOUT_MS = 100;
/** Attempts without a response that a time limit ended. */
const TIMED_OUT = /time.?out|timed out|aborted|disconnect|closed/i;
const BROKEN = /connect to|connecting|reset/i;

export function compareTimeout(attempts: Attempts, configuredMs: number): Finding {
  // The receiver measures from when the request arrives until it notices that the connection was closed.
  const longestMs = configuredMs * 1.1 + 500;
  const sightings = attempts.flatMap((exchange): Sighting<Range>[] => {
    const { status, error, durationMs: ms } = exchange;
    const isTimeout = status === 0 && TIMED_OUT.test(error) && !BROKEN.test(error) && ms >= MIN_TIMEOUT_MS;
    const isConfigured = ms >= configuredMs * 0.9 && ms <= longestMs;
    const limitMs = isConfigured ? configuredMs : roundDuration(ms, 0.08);
    const text = `it ended after ${formatDuration(ms)}`;
    if (isTimeout) return [{ exchange, text, value: { min: limitMs, max: limitMs } }];
    return status !== 0 && ms > longestMs ? [{ exchange, text, value: { min: ms } }] : [];
  });
  return joinFindings({ attempt: compareRange(configuredMs, sightings, formatDuration) });
}
