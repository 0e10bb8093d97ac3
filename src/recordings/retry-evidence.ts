/** Compares the times between the attempts of each delivery with the retry schedule. */
import { formatDuration, MINUTE_MS, SECOND_MS } from '../domain/duration.ts';
import {
  decideRetry,
  type FailedAttempt,
  getDelayMs,
  parseRetryAfter,
  type RetryPolicy,
} from '../domain/retry-policy.ts';
import type { GapId } from '../profile/gaps.ts';
import { groupBy, type Observation } from './finding.ts';
import { type DeliveryAttempt, isSuccess } from './sort-recording.ts';

type Attempts = readonly DeliveryAttempt[];

/** A failed attempt, and the time to the next one. */
interface Wait extends FailedAttempt {
  readonly next: DeliveryAttempt;
  readonly ms: number;
}

export function observeRetries(attempts: Attempts, configured: RetryPolicy): Observation[] {
  const identified = attempts.filter(({ id }) => id !== '');
  const waits = [...groupBy(identified, ({ id }) => id).values()]
    .map(listWaits)
    .filter((each) => !lacksAttempts(each, configured))
    .flat();
  const plain = waits.filter((wait) => wait.retryAfterMs === null && wait.responseStatus !== 410);
  const { policy, observations } = observeSchedule(plain, configured);
  const observeFlag = (gap: GapId, flag: 'honorRetryAfter' | 'stopOn410', set: string, unset: string) =>
    waits.flatMap((wait) => {
      const isSet = isPlanned(wait, { ...policy, [flag]: true });
      if (isSet === isPlanned(wait, { ...policy, [flag]: false })) return [];
      return toObservation(gap, wait, isSet === configured[flag], isSet ? set : unset);
    });
  return [
    ...observations,
    ...observeFlag('retry.after', 'honorRetryAfter', 'honored', 'ignored'),
    ...observeFlag('retry.410', 'stopOn410', 'stop', 'failure'),
    ...waits
      .filter(({ responseStatus }) => Math.floor(Number(responseStatus) / 100) === 3)
      .map((wait) => toObservation('delivery.success', wait, true, null)),
  ];
}

/** Up to the first success. Replays are not retries. */
function listWaits(attempts: Attempts): Wait[] {
  const waits: Wait[] = [];
  for (const [index, failed] of attempts.entries()) {
    const next = attempts[index + 1];
    if (next === undefined || next.isReplay || failed.isReplay || isSuccess(failed)) break;
    const { dueAt: startedAt, durationMs, status: responseStatus, responseHeaders } = failed;
    waits.push({
      attemptCount: index + 1,
      firstAttemptAt: waits[0]?.startedAt ?? startedAt,
      startedAt,
      endedAt: startedAt + durationMs,
      responseStatus,
      retryAfterMs: parseRetryAfter(responseHeaders.get('retry-after') ?? '', failed.at + durationMs),
      next,
      ms: next.dueAt - startedAt,
    });
  }
  return waits;
}

/** How much later than planned an attempt can be recorded. */
function toleranceOf(ms: number): number {
  return Math.min(MINUTE_MS, 0.05 * ms + 100);
}

/** Whether attempts were not recorded, for example because the receiver was down: the others have the times of later ones. */
function lacksAttempts(waits: readonly Wait[], policy: RetryPolicy): boolean {
  const planned = [0];
  for (let ms = 0; ms < policy.windowMs; planned.push(ms)) ms += getDelayMs(policy, planned.length);
  const counts = waits.map(({ startedAt, ms: waitMs, firstAttemptAt }) => {
    const offsetMs = startedAt + waitMs - firstAttemptAt;
    return planned.findIndex((ms) => Math.abs(offsetMs - ms) <= toleranceOf(ms) + policy.jitter * ms);
  });
  const isLater = (wait: Wait, index: number) =>
    Number(counts[index]) > wait.attemptCount && !isPlanned(wait, policy);
  return !counts.includes(-1) && waits.some(isLater);
}

/** Whether the emulator with this policy would send the next attempt at this time. */
function isPlanned(wait: Wait, policy: RetryPolicy): boolean {
  const { ms, startedAt } = wait;
  // The lowest and the highest random number.
  const [earliestMs = 0, latestMs = 0] = [0, 1].map((random) => {
    const decision = decideRetry(policy, wait, () => random);
    return decision.status === 'failed' ? Infinity : decision.dueAt - startedAt;
  });
  const toleranceMs = toleranceOf((earliestMs + latestMs) / 2);
  return ms >= earliestMs - toleranceMs && ms <= latestMs + toleranceMs;
}

/**
 * Compares the waits with the configured schedule. If they vary more than the configured jitter, they do not show which schedule
 * they vary around. The returned policy has the waits of the recording.
 */
function observeSchedule(waits: readonly Wait[], policy: RetryPolicy) {
  const fits = (wait: Wait) => isPlanned(wait, { ...policy, windowMs: Infinity });
  const inOrder = waits.toSorted((a, b) => a.attemptCount - b.attemptCount);
  let { jitter } = policy;
  const delaysMs: number[] = [];
  for (let count = 1; count <= (inOrder.at(-1)?.attemptCount ?? 0); count++) {
    const group = waits.filter(({ attemptCount }) => attemptCount === count);
    // Without a wait, the attempt was not recorded, or the receiver asked for another delay. If most are as configured, the others are replays.
    const isConfigured = group.length === 0 || 2 * group.filter(fits).length > group.length;
    if (isConfigured) {
      delaysMs.push(getDelayMs(policy, count));
      continue;
    }
    const times = group.map(({ ms }) => ms).sort((a, b) => a - b);
    const [min = 0, max = 0] = [times[0], times.at(-1)];
    jitter = Math.max(jitter, (max - min - toleranceOf(max)) / (max + min));
    // Recorded times are some milliseconds late.
    const middleMs = (min + max) / 2;
    const unitMs = middleMs < SECOND_MS ? 1 : SECOND_MS;
    delaysMs.push(Math.round(middleMs / unitMs) * unitMs);
  }
  const isSame = delaysMs.every((ms, index) => ms === getDelayMs(policy, index + 1));
  const schedule = isSame ? policy.delaysMs : completeSchedule(delaysMs, policy);
  const value = policy.jitter === 0 ? schedule.map(formatDuration) : null;
  const isVaried = jitter > policy.jitter;
  const observations = inOrder.flatMap((wait) => [
    isVaried
      ? toObservation('retry.jitter', wait, false, null)
      : toObservation('retry.schedule', wait, isSame, value),
    // Waits within a jitter can have a smaller one.
    ...(jitter === 0 && waits.length > 1 ? [toObservation('retry.jitter', wait, true, null)] : []),
  ]);
  return { policy: { ...policy, delaysMs: schedule, jitter }, observations };
}

function toObservation(gap: GapId, wait: Wait, isSame: boolean, value: Observation['value']): Observation {
  const { attemptCount, next, ms } = wait;
  const text = `a retry ${formatDuration(ms)} after attempt ${attemptCount}`;
  return { gap, exchange: next, isSame, value, text };
}

/** With the configured delays for the attempts that were not recorded if they end in the retry window, and without repetitions at the end. */
function completeSchedule(recorded: readonly number[], { delaysMs, windowMs }: RetryPolicy): number[] {
  const all = [...recorded, ...delaysMs.slice(recorded.length)];
  const isTooLong = all.reduce((total, ms) => total + ms, 0) > windowMs;
  const schedule = isTooLong ? [...recorded] : all;
  while (schedule.length > 1 && schedule.at(-1) === schedule.at(-2)) schedule.pop();
  return schedule;
}
