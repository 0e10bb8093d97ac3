import { setTimeout as pause } from 'node:timers/promises';
import { SvcError } from '../errors.ts';

const MIN_INTERVAL_MS = 20;
const MAX_INTERVAL_MS = 250;

export interface PollOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Looks again and again until `isDone`, or until the time is over; gives back what was seen last. For what nobody tells
 * of: deliveries are waited for with `trackDeliveries`.
 * @throws SvcError `interrupted`
 */
export async function pollUntil<Seen>(
  look: () => Promise<Seen>,
  isDone: (seen: Seen) => boolean,
  { timeoutMs, signal }: PollOptions,
): Promise<Seen> {
  const endAt = performance.now() + timeoutMs;
  for (let pauseMs = MIN_INTERVAL_MS; ; pauseMs = Math.min(pauseMs * 1.5, MAX_INTERVAL_MS)) {
    const seen = await look();
    if (isDone(seen) || performance.now() >= endAt) return seen;
    await pause(pauseMs, undefined, { signal }).catch((error: unknown) => {
      throw new SvcError('interrupted', 'Interrupted.', { cause: error });
    });
  }
}
