import { setTimeout as pause } from 'node:timers/promises';
import type { Delivery } from '../contract/resources.ts';
import { formatDuration } from '../domain/duration.ts';
import { ExitCode, SvcError } from '../errors.ts';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;

/** How long `--wait` waits when it does not say. */
export const DEFAULT_WAIT_MS = 30_000;

export interface Wait {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Looks again and again until `isDone`, or until the time is over; gives back what was seen last. Looking keeps
 * no connection that could be lost, and costs the emulator one indexed read.
 * @throws SvcError `interrupted`
 */
export async function lookUntil<Seen>(
  look: () => Promise<Seen>,
  isDone: (seen: Seen) => boolean,
  { timeoutMs, signal }: Wait,
): Promise<Seen> {
  const endAt = performance.now() + timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const seen = await look();
    if (isDone(seen) || performance.now() >= endAt) return seen;
    await pause(pauseMs, undefined, { signal }).catch((error: unknown) => {
      throw new SvcError('interrupted', 'Interrupted.', { cause: error });
    });
  }
}

/** The error of a wait that ended before everything had settled. */
export function waitedTooLong(unsettled: number, timeoutMs: number): SvcError {
  const deliveries = unsettled === 1 ? '1 delivery has' : `${unsettled} deliveries have`;
  return new SvcError('timeout', `${deliveries} not settled after ${formatDuration(timeoutMs)}.`, {
    hint: 'svc deliveries list --status pending shows when each is tried again.',
  });
}

/**
 * How a command ends that was to wait so long until deliveries had settled; undefined is not at all.
 * @throws SvcError `timeout` when one is still pending.
 */
export function concludeSettled(deliveries: readonly Delivery[], timeoutMs: number | undefined): ExitCode {
  if (timeoutMs === undefined) return ExitCode.done;
  const pending = deliveries.filter(isPending).length;
  if (pending > 0) throw waitedTooLong(pending, timeoutMs);
  return deliveries.every(({ status }) => status === 'succeeded') ? ExitCode.done : ExitCode.notSo;
}

export function isPending({ status }: Delivery): boolean {
  return status === 'pending';
}
