/** How commands wait for deliveries: with a line of progress, and an end that says what is left. */
import type { Delivery } from '../contract/deliveries.ts';
import { isPending, type StandingCounts } from '../control/settlement.ts';
import { formatDuration } from '../domain/duration.ts';
import { ExitCode, SvcError } from '../errors.ts';
import type { Context } from './context.ts';
import { renderBar, showWhile } from './progress.ts';
import { countDeliveries } from './render/count.ts';
import { countPaused, describePaused, hintAtPaused } from './render/paused.ts';

/** How long a command waits when nobody says. */
export const DEFAULT_WAIT_MS = 30_000;

/** Shows how many are no longer open while `wait` tells of it. @param word what has happened to those: `Settled`. */
export function showCounts<Result>(
  word: string,
  context: Pick<Context, 'io' | 'json'>,
  wait: (onChange: (counts: StandingCounts) => void) => Promise<Result>,
): Promise<Result> {
  let counts: StandingCounts = { open: 0, done: 0, wrong: 0, paused: 0 };
  const waiting = wait((changed) => {
    counts = changed;
  });
  const toBar = ({ open, done, wrong }: StandingCounts) => renderBar(done + wrong, open + done + wrong);
  return showWhile(context, async () => `${word} ${toBar(counts)}`, waiting);
}

/**
 * The error of a wait that ended before everything had settled: at once where all that is open is paused.
 * @param open the deliveries that have not settled, at least one.
 */
export function waitedTooLong(open: readonly Delivery[], timeoutMs: number): SvcError {
  const paused = countPaused(open);
  if (open.every((delivery) => delivery.paused)) {
    return new SvcError('timeout', describePaused(paused), { hint: hintAtPaused(paused) });
  }
  const have = open.length === 1 ? 'has' : 'have';
  const message = `${countDeliveries(open.length)} ${have} not settled after ${formatDuration(timeoutMs)}.`;
  return new SvcError('timeout', paused.length === 0 ? message : `${message} ${describePaused(paused)}`, {
    hint: 'svc deliveries list --status pending shows when each is tried again; svc clock settle does it now.',
  });
}

/**
 * How a command ends that was to wait so long until deliveries had settled; undefined is not at all.
 * @throws SvcError `timeout` when one is still pending.
 */
export function concludeSettled(deliveries: readonly Delivery[], timeoutMs: number | undefined): ExitCode {
  if (timeoutMs === undefined) return ExitCode.done;
  const pending = deliveries.filter(isPending);
  if (pending.length > 0) throw waitedTooLong(pending, timeoutMs);
  return deliveries.every(({ status }) => status === 'succeeded') ? ExitCode.done : ExitCode.notSo;
}
