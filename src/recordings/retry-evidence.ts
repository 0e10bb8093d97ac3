/** Finds out when a service retries, from the times between the attempts of each delivery. */
import { formatDuration, MINUTE_MS, parseDuration } from '../domain/duration.ts';
import {
  decideRetry,
  type FailedAttempt,
  getDelayMs,
  parseRetryAfter,
  type RetryPolicy,
} from '../domain/retry-policy.ts';
import {
  compareFixed,
  compareObservations,
  compareRange,
  confirm,
  differ,
  type Finding,
  groupBy,
  joinFindings,
  NO_EVIDENCE,
  type Observation,
  type Range,
} from './finding.ts';
import { type DeliveryAttempt, isSuccess } from './sort-traffic.ts';

type Attempts = readonly DeliveryAttempt[];

/** A failed attempt, and the time to the next one. */
interface Wait extends FailedAttempt {
  readonly failed: DeliveryAttempt;
  readonly next: DeliveryAttempt | undefined;
  /** Infinite if no later attempt was recorded. */
  readonly ms: number;
}

export function findRetries(attempts: Attempts, retry: RetryPolicy) {
  const identified = attempts.filter(({ id }) => id !== '');
  const waits = groupBy(identified, ({ id }) => id)
    .map(listWaits)
    .filter((each) => !lacksAttempts(each, retry))
    .flat();
  const ended = waits.filter(({ next }) => next !== undefined);
  const plain = ended.filter((wait) => wait.retryAfterMs === null && wait.responseStatus !== 410);
  const { policy, findings } = compareSchedule(plain, retry);
  const latestMs = retry.windowMs + MINUTE_MS;
  const late = ended.filter(
    ({ firstAttemptAt, startedAt, ms }) => startedAt + ms - firstAttemptAt > latestMs,
  );
  const redirected = ended.filter(({ failed }) => failed.status >= 300 && failed.status < 400);
  const lastTimes = new Map(identified.map(({ url, dueAt }) => [url.href, dueAt]));
  const compareFlag = (flag: 'honorRetryAfter' | 'stopOn410', set: string, unset: string) => {
    const observations = waits.flatMap((wait) => {
      const lastAt = lastTimes.get(wait.failed.url.href) ?? 0;
      const isSet = isPlanned(wait, { ...policy, [flag]: true }, lastAt);
      const isUnset = isPlanned(wait, { ...policy, [flag]: false }, lastAt);
      return isSet === isUnset ? [] : [{ ...toObservation(wait), value: isSet ? set : unset }];
    });
    return compareObservations(retry[flag] ? set : unset, observations);
  };
  return {
    ...findings,
    ...(late.length > 0 && {
      'retry.schedule': differ(null, late.map(toObservation), 'a retry window of more than 72h'),
    }),
    'retry.after': compareFlag('honorRetryAfter', 'honored', 'ignored'),
    'retry.410': compareFlag('stopOn410', 'stop', 'failure'),
    'delivery.success': compareFixed(redirected.map((wait) => ({ ...toObservation(wait), value: null }))),
  };
}

/**
 * Whether the emulator with this policy would send the next attempt at this time.
 * @param lastAt time of the last recorded attempt
 */
function isPlanned(wait: Wait, policy: RetryPolicy, lastAt = Infinity): boolean {
  const { next, ms, startedAt } = wait;
  // The lowest and the highest random number.
  const [earliestMs = 0, latestMs = 0] = [0, 1].map((random) => {
    const decision = decideRetry(policy, wait, () => random);
    return decision.status === 'failed' ? Infinity : decision.dueAt - startedAt;
  });
  const toleranceMs = toleranceOf((earliestMs + latestMs) / 2);
  if (next === undefined) return lastAt - startedAt <= latestMs + toleranceMs;
  return ms >= earliestMs - toleranceMs && ms <= latestMs + toleranceMs;
}

/** The policy with this delay after each attempt, for example the sum of several configured ones. The end of the window is checked separately. */
function withDelay(policy: RetryPolicy, delayMs: number): RetryPolicy {
  const maxDelayMs = Math.max(delayMs, policy.maxDelayMs);
  return { ...policy, delaysMs: [delayMs], maxDelayMs, windowMs: Infinity };
}

/** Up to the first success. Replays are not retries. */
function listWaits(attempts: Attempts): Wait[] {
  const waits: Wait[] = [];
  for (const [index, failed] of attempts.entries()) {
    const [first = failed, next] = [attempts[0], attempts[index + 1]];
    if (isSuccess(failed) || failed.isManual || next?.isManual) break;
    const retryAfter = failed.responseHeaders.get('retry-after') ?? '';
    waits.push({
      ...{ failed, next, ms: next === undefined ? Infinity : next.dueAt - failed.dueAt },
      attemptCount: index + 1,
      firstAttemptAt: first.dueAt,
      startedAt: failed.dueAt,
      endedAt: failed.dueAt + failed.durationMs,
      responseStatus: failed.status,
      retryAfterMs: parseRetryAfter(retryAfter, failed.at + failed.durationMs),
    });
  }
  return waits;
}

/** How much later than planned an attempt can be recorded. */
function toleranceOf(ms: number): number {
  return Math.min(MINUTE_MS, 0.05 * ms + 100);
}

/**
 * Whether attempts of a delivery are not in the recording, for example because the receiver was down: some waits are as long as
 * several of the configured ones, and the others fit.
 */
function lacksAttempts(waits: readonly Wait[], policy: RetryPolicy): boolean {
  const recorded = waits.filter(({ next }) => next !== undefined);
  let count = 0;
  for (const wait of recorded) {
    // Whether or not the service follows `Retry-After` and stops after a 410.
    const alternatives: readonly Wait[] = [wait, { ...wait, retryAfterMs: null, responseStatus: null }];
    const fits = (ms: number) => alternatives.some((each) => isPlanned(each, withDelay(policy, ms)));
    let delayMs = getDelayMs(policy, ++count);
    while (!fits(delayMs) && delayMs < wait.ms && count < 100) delayMs += getDelayMs(policy, ++count);
    if (!fits(delayMs)) return false;
  }
  return count > recorded.length;
}

/** The jitter that a service can have. */
const JITTERS = [0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5];

/** Compares the waits with the configured schedule. If they differ, it is that of the usual waits that are closest to them. */
function compareSchedule(waits: readonly Wait[], policy: RetryPolicy) {
  const unlimited = { ...policy, windowMs: Infinity };
  const inOrder = waits.toSorted((a, b) => a.attemptCount - b.attemptCount);
  const groups = groupBy(inOrder, ({ attemptCount }) => String(attemptCount)).map((group) => {
    // If the waits after an attempt disagree and most of them are as configured, the others are replays.
    const fitting = group.filter((wait) => isPlanned(wait, unlimited));
    return 2 * fitting.length > group.length ? fitting : group;
  });
  const observations = groups.flatMap((group) => group.slice(0, 1).map(toObservation));
  if (observations.length === 0) return { policy, findings: {} };
  if (groups.flat().every((wait) => isPlanned(wait, unlimited))) {
    // Waits within a jitter can have a smaller one.
    const isExact = policy.jitter === 0 && groups.flat().length > 1;
    const jitter = isExact ? confirm(0, observations) : NO_EVIDENCE;
    const schedule = confirm(policy.delaysMs.map(formatDuration), observations);
    return { policy, findings: { 'retry.schedule': schedule, 'retry.jitter': jitter } };
  }
  const delaysMs: number[] = [];
  let needed = 0;
  for (const group of groups) {
    const attemptCount = group[0]?.attemptCount ?? 1;
    // The first attempts were not recorded, or the receiver asked for another delay.
    while (delaysMs.length + 1 < attemptCount) delaysMs.push(getDelayMs(policy, delaysMs.length + 1));
    const delayMs = findDelay(group, getDelayMs(policy, attemptCount), policy);
    delaysMs.push(delayMs);
    // The maximum shortens some of the waits.
    const outermost = group.map(
      ({ ms }) => Math.abs(Math.min(ms, policy.maxDelayMs) - delayMs) - toleranceOf(delayMs),
    );
    needed = Math.max(needed, ...outermost.map((ms) => ms / delayMs));
  }
  const jitter = needed <= policy.jitter ? policy.jitter : (JITTERS.find((share) => share >= needed) ?? null);
  const schedule = completeSchedule(delaysMs, policy);
  const isConfigured = delaysMs.every((ms, index) => ms === getDelayMs(policy, index + 1));
  return {
    policy: { ...policy, delaysMs: schedule, jitter: jitter ?? policy.jitter },
    findings: {
      'retry.schedule': isConfigured
        ? confirm(policy.delaysMs.map(formatDuration), observations)
        : differ(schedule.map(formatDuration), observations),
      'retry.jitter':
        jitter === policy.jitter
          ? NO_EVIDENCE
          : differ(jitter, observations, jitter === null ? 'waits that vary by more than 50 %' : ''),
    },
  };
}

/** The configured delay if all waits are possible with it, otherwise the usual one that is closest to the middle of the waits. */
function findDelay(group: readonly Wait[], configuredMs: number, policy: RetryPolicy): number {
  if (group.every((wait) => isPlanned(wait, withDelay(policy, configuredMs)))) return configuredMs;
  const times = group.map(({ ms }) => ms).sort((a, b) => a - b);
  const [min = 0, max = min] = [times[0], times.at(-1)];
  // The maximum shortens some of the waits.
  const middle = max > policy.maxDelayMs - MINUTE_MS ? policy.maxDelayMs : (min + max) / 2;
  if (policy.jitter === 0 && max - min <= toleranceOf(middle)) return roundDuration(middle, 0.02);
  return USUAL_DELAYS.reduce((best, ms) => (Math.abs(ms - middle) < Math.abs(best - middle) ? ms : best));
}

function toObservation({ attemptCount, failed, next, ms }: Wait): Observation {
  const retry = next === undefined ? 'no retry' : `a retry ${formatDuration(ms)}`;
  return { exchange: next ?? failed, value: ms, text: `${retry} after attempt ${attemptCount}` };
}

/** With the configured delays for the attempts that were not recorded, at most as long as the retry window, and without repetitions at the end. */
function completeSchedule(fitted: readonly number[], { delaysMs: configured, windowMs }: RetryPolicy) {
  const sum = (delaysMs: readonly number[]) => delaysMs.reduce((total, ms) => total + ms, 0);
  const isComplete = sum([...fitted, ...fitted.slice(-1)]) > windowMs;
  const delaysMs = [...fitted, ...(isComplete ? [] : configured.slice(fitted.length))];
  const isTooLong = () => delaysMs.at(-1) === delaysMs.at(-2) || sum(delaysMs) > windowMs;
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
  const observations = attempts.flatMap((exchange): Observation<Range>[] => {
    const { status, error, durationMs: ms } = exchange;
    const isTimeout = status === 0 && TIMED_OUT.test(error) && !BROKEN.test(error) && ms >= MIN_TIMEOUT_MS;
    const isConfigured = ms >= configuredMs * 0.9 && ms <= longestMs;
    const limitMs = isConfigured ? configuredMs : roundDuration(ms, 0.08);
    const text = `it ended after ${formatDuration(ms)}`;
    if (isTimeout) return [{ exchange, text, value: { min: limitMs, max: limitMs } }];
    return status !== 0 && ms > longestMs ? [{ exchange, text, value: { min: ms } }] : [];
  });
  return joinFindings({ attempt: compareRange(configuredMs, observations, formatDuration) });
}
