/** How commands wait for deliveries: with a line of progress, and an end that says what is left. */
import type { Delivery } from '../contract/delivery-schemas.ts';
import { isPending, type WaitCounts } from '../control/wait.ts';
import { formatDuration } from '../domain/duration.ts';
import { ExitCode, SvcError } from '../errors.ts';
import type { Context } from './context.ts';
import { renderProgressBar, withProgress } from './progress.ts';
import { formatDeliveryCount } from './render/format-count.ts';
import { countPaused, describePaused, suggestEnable } from './render/paused.ts';

/** How long a command waits when nobody says. */
export const DEFAULT_WAIT_MS = 30_000;

/** Shows how many are no longer open while `wait` tells of it. @param word what has happened to those: `Settled`. */
export function showDeliveryProgress<Result>(
  word: string,
  context: Pick<Context, 'io' | 'json'>,
  wait: (onChange: (counts: WaitCounts) => void) => Promise<Result>,
): Promise<Result> {
  let counts: WaitCounts = { open: 0, done: 0, wrong: 0, paused: 0 };
  const waiting = wait((changed) => {
    counts = changed;
  });
  const toBar = ({ open, done, wrong }: WaitCounts) => renderProgressBar(done + wrong, open + done + wrong);
  return withProgress(context, async () => `${word} ${toBar(counts)}`, waiting);
}

/**
 * The error of a wait that ended before everything had settled: at once where all that is open is paused.
 * @param open the deliveries that have not settled, at least one.
 */
export function createTimeoutError(open: readonly Delivery[], timeoutMs: number): SvcError {
  const paused = countPaused(open);
  if (open.every((delivery) => delivery.paused)) {
    return new SvcError('timeout', describePaused(paused), { hint: suggestEnable(paused) });
  }
  const have = open.length === 1 ? 'has' : 'have';
  const message = `${formatDeliveryCount(open.length)} ${have} not settled after ${formatDuration(timeoutMs)}.`;
  return new SvcError('timeout', paused.length === 0 ? message : `${message} ${describePaused(paused)}`, {
    hint: 'svc deliveries list --status pending shows when each is tried again; svc clock settle does it now.',
  });
}

/**
 * How a command ends that was to wait so long until deliveries had settled; undefined is not at all.
 * @throws SvcError `timeout` when one is still pending.
 */
export function toWaitExitCode(deliveries: readonly Delivery[], timeoutMs: number | undefined): ExitCode {
  if (timeoutMs === undefined) return ExitCode.success;
  const pending = deliveries.filter(isPending);
  if (pending.length > 0) throw createTimeoutError(pending, timeoutMs);
  return deliveries.every(({ status }) => status === 'succeeded') ? ExitCode.success : ExitCode.failure;
}
