/** Finds out when a service retries, from the times between the attempts of each delivery. */
import { formatDuration, MINUTE_MS, SECOND_MS } from '../domain/duration.ts';
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
  type Observation,
  type Range,
  UNKNOWN_VALUE,
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
      failed,
      next,
      ms: next === undefined ? Infinity : next.dueAt - failed.dueAt,
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

/**
 * Compares the waits with the configured schedule. If they vary more than the configured jitter, they do not show which schedule
 * they vary around. The returned policy has the waits of the recording.
 */
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
  const delaysMs: number[] = [];
  let { jitter } = policy;
  for (const group of groups) {
    const { attemptCount = 1 } = group[0] ?? {};
    // The first attempts were not recorded, or the receiver asked for another delay.
    while (delaysMs.length + 1 < attemptCount) delaysMs.push(getDelayMs(policy, delaysMs.length + 1));
    if (group.every((wait) => isPlanned(wait, unlimited))) delaysMs.push(getDelayMs(policy, attemptCount));
    else {
      const times = group.map(({ ms }) => ms);
      const [min, max] = [Math.min(...times), Math.max(...times)];
      delaysMs.push(roundToSeconds((min + max) / 2));
      jitter = Math.max(jitter, (max - min - toleranceOf(max)) / (max + min));
    }
  }
  const isConfigured = delaysMs.every((ms, index) => ms === getDelayMs(policy, index + 1));
  const schedule = isConfigured ? policy.delaysMs : completeSchedule(delaysMs, policy);
  const observed = policy.jitter === 0 ? schedule.map(formatDuration) : null;
  const findings: Partial<Record<'retry.schedule' | 'retry.jitter', Finding>> =
    jitter > policy.jitter
      ? { 'retry.jitter': differ(null, observations, UNKNOWN_VALUE) }
      : {
          'retry.schedule': isConfigured
            ? confirm(schedule.map(formatDuration), observations)
            : differ(observed, observations, observed === null ? UNKNOWN_VALUE : ''),
          // Waits within a jitter can have a smaller one.
          ...(jitter === 0 && waits.length > 1 && { 'retry.jitter': confirm(0, observations) }),
        };
  return { policy: { ...policy, delaysMs: schedule, jitter }, findings };
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

/** Recorded times are some milliseconds late. */
function roundToSeconds(ms: number): number {
  return ms < SECOND_MS ? Math.round(ms) : Math.round(ms / SECOND_MS) * SECOND_MS;
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
    const limitMs = isConfigured ? configuredMs : roundToSeconds(ms);
    const text = `it ended after ${formatDuration(ms)}`;
    if (isTimeout) return [{ exchange, text, value: { min: limitMs, max: limitMs } }];
    return status !== 0 && ms > longestMs ? [{ exchange, text, value: { min: ms } }] : [];
  });
  return joinFindings({ attempt: compareRange(configuredMs, observations, formatDuration) });
}
