/** Compares the times between the attempts of each delivery with the retry schedule. */
import { formatDuration, MINUTE_MS, SECOND_MS } from '../domain/duration.ts';
import {
  decideRetry,
  type FailedAttempt,
  getDelayMs,
  parseRetryAfter,
  type RetryPolicy,
} from '../domain/retry-policy.ts';
import { MAX_JITTER } from '../profile/gaps/delivery-gaps.ts';
import type { GapId } from '../profile/gaps.ts';
import { groupBy, type Observation } from './finding.ts';
import { type DeliveryAttempt, isSuccess } from './sort-recording.ts';

/** A failed attempt, and the time to the next one. */
interface Wait extends FailedAttempt {
  readonly next: DeliveryAttempt;
  readonly ms: number;
}

export function observeRetries(attempts: readonly DeliveryAttempt[], configured: RetryPolicy): Observation[] {
  const identified = attempts.filter(({ id }) => id !== '');
  const waits = [...groupBy(identified, ({ id }) => id).values()]
    .map(listWaits)
    .filter((each) => !lacksAttempts(each, configured))
    .flat();
  const plain = waits.filter((wait) => wait.retryAfterMs === null && wait.responseStatus !== 410);
  const { policy, observations } = observeSchedule(plain, configured);
  for (const wait of waits) {
    const isHonored = isPlanned(wait, { ...policy, stopOn410: false, honorRetryAfter: true });
    const isIgnored = isPlanned(wait, { ...policy, stopOn410: false, honorRetryAfter: false });
    if (isHonored !== isIgnored) {
      const value = isHonored ? 'honored' : 'ignored';
      observations.push(toObservation('retry.after', wait, isHonored === configured.honorRetryAfter, value));
    }
    // An attempt at another time can be a replay.
    if (wait.responseStatus === 410 && (isHonored || isIgnored))
      observations.push(toObservation('retry.410', wait, !configured.stopOn410, 'failure'));
    if (Math.floor(Number(wait.responseStatus) / 100) === 3)
      observations.push(toObservation('delivery.success', wait, true, null));
  }
  return observations;
}

/** Up to the first success. Replays are not retries. */
function listWaits(attempts: readonly DeliveryAttempt[]): Wait[] {
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

/** How far from the planned time an attempt can be recorded. */
function toleranceOf(ms: number, { jitter }: RetryPolicy): number {
  return Math.min(MINUTE_MS, 0.05 * ms + 100) + jitter * ms;
}

/** Whether attempts were not recorded, for example because the receiver was down: the others have the times of later ones. */
function lacksAttempts(waits: readonly Wait[], policy: RetryPolicy): boolean {
  const planned = [0];
  for (let ms = 0; ms < policy.windowMs; planned.push(ms)) ms += getDelayMs(policy, planned.length);
  const findCount = (wait: Wait) => {
    const offsetMs = wait.startedAt + wait.ms - wait.firstAttemptAt;
    return planned.findIndex((ms) => Math.abs(offsetMs - ms) <= toleranceOf(ms, policy));
  };
  const isLater = (wait: Wait) => findCount(wait) > wait.attemptCount && !isPlanned(wait, policy);
  return waits.some(isLater) && !waits.some((wait) => findCount(wait) === -1);
}

/** Whether the emulator with this policy would send the next attempt at this time. */
function isPlanned(wait: Wait, policy: RetryPolicy): boolean {
  const decision = decideRetry({ ...policy, jitter: 0 }, wait, Math.random);
  if (decision.status === 'failed') return false;
  const plannedMs = decision.dueAt - wait.startedAt;
  return Math.abs(wait.ms - plannedMs) <= toleranceOf(plannedMs, policy);
}

/**
 * Compares the waits with the configured schedule. If they vary more than the configured jitter, they do not show which schedule
 * they vary around. The returned policy has the waits of the recording.
 */
function observeSchedule(waits: readonly Wait[], configured: RetryPolicy) {
  const counts = [...new Set(waits.map(({ attemptCount }) => attemptCount))];
  const groups = Array.from({ length: Math.max(0, ...counts) }, (_, index) =>
    waits.filter(({ attemptCount }) => attemptCount === index + 1),
  );
  // Without a wait, the attempt was not recorded, or the receiver asked for another delay. If most fit, the others are replays.
  const mostFit = (group: readonly Wait[], policy: RetryPolicy) =>
    group.length === 0 || 2 * group.filter((wait) => isPlanned(wait, policy)).length > group.length;
  const delaysMs = groups.map((group, index) => {
    if (mostFit(group, { ...configured, windowMs: Infinity })) return getDelayMs(configured, index + 1);
    const times = group.map(({ ms }) => ms).sort((a, b) => a - b);
    const middleMs = ((times[0] ?? 0) + (times.at(-1) ?? 0)) / 2;
    // Recorded times are some milliseconds late.
    const unitMs = middleMs < SECOND_MS ? 1 : SECOND_MS;
    return Math.round(middleMs / unitMs) * unitMs;
  });
  const isSame = delaysMs.every((ms, index) => ms === getDelayMs(configured, index + 1));
  const policy = { ...configured, delaysMs: [...delaysMs, ...configured.delaysMs.slice(delaysMs.length)] };
  const isVaried = !groups.every((group) => mostFit(group, { ...policy, windowMs: Infinity }));
  // With the configured waits after those of the recording, unless the retry window ends earlier.
  const totalMs = policy.delaysMs.reduce((total, ms) => total + ms, 0);
  const shownMs = totalMs > policy.windowMs ? delaysMs : [...policy.delaysMs];
  // The last wait repeats.
  while (shownMs.length > 1 && shownMs.at(-1) === shownMs.at(-2)) shownMs.pop();
  const value = configured.jitter === 0 ? shownMs.map(formatDuration) : null;
  const observations = groups.flat().flatMap((wait) => {
    if (isVaried) return [toObservation('retry.jitter', wait, false, null)];
    const schedule = toObservation('retry.schedule', wait, isSame, value);
    // Waits within a jitter can have a smaller one.
    const isExact = configured.jitter === 0 && waits.length > 1;
    return isExact ? [schedule, toObservation('retry.jitter', wait, true, null)] : [schedule];
  });
  return { policy: { ...policy, jitter: isVaried ? MAX_JITTER : configured.jitter }, observations };
}

function toObservation(gap: GapId, wait: Wait, isSame: boolean, value: Observation['value']): Observation {
  const { attemptCount, next, ms } = wait;
  const text = `a retry ${formatDuration(ms)} after attempt ${attemptCount}`;
  return { gap, exchange: next, isSame, value, text };
}
