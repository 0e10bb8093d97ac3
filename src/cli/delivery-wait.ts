/** Options, progress, messages and exit codes of the commands that wait for deliveries. */

import { formatDuration } from '../domain/duration.ts';
import { SvcError } from '../domain/errors.ts';
import type { ControlInput } from '../operations/control-operations.ts';
import type { ControlPlane } from '../operations/control-plane.ts';
import type { WaitReport } from '../operations/wait-schemas.ts';
import type { Context } from './context.ts';
import { parseDurationMs } from './option-parsers.ts';
import type { Io } from './process-context.ts';
import { renderProgressBar, withProgress } from './progress.ts';
import { wrapWords } from './render/text-width.ts';
import { printHint } from './report-error.ts';

/** The time limit of `--wait` without a value, and of `--timeout` if it is not passed. */
export const DEFAULT_WAIT_MS = 30_000;

export function explainNoDeliveries(type: string, io: Io): void {
  io.note(`No enabled endpoint subscribes to ${type}, so nothing is delivered.`);
  printHint({ text: 'Register an endpoint', command: `svc webhooks create --url URL --events ${type}` }, io);
}

export interface CommandWait {
  readonly timeout_ms: number;
  readonly keep_waiting: boolean | undefined;
}

export const timeoutRow = {
  option: '--timeout <duration>',
  summary: 'Give up after this time, with exit code 5',
  parse: parseDurationMs,
  defaultText: formatDuration(DEFAULT_WAIT_MS),
} as const;

export const keepWaitingRow = {
  option: '--keep-waiting',
  summary:
    'Wait for the whole time, even if no delivery can settle in it because the next attempt is due later',
} as const;

/** The options of a command that waits only with `--wait`. */
export const waitRows = {
  wait: {
    option: '--wait [duration]',
    summary: 'Wait up to this long for every delivery to settle; exit with code 1 if one fails',
    parse: parseDurationMs,
    defaultText: formatDuration(DEFAULT_WAIT_MS),
  },
  keepWaiting: { ...keepWaitingRow, needs: 'wait' },
} as const;

/** Undefined without `--wait`. */
export function toCommandWait({
  wait,
  keepWaiting,
}: {
  readonly wait?: number | true;
  readonly keepWaiting?: true;
}): CommandWait | undefined {
  if (wait === undefined) return undefined;
  return { timeout_ms: wait === true ? DEFAULT_WAIT_MS : wait, keep_waiting: keepWaiting };
}

/** Waits for deliveries, with a progress bar. */
export async function waitForDeliveries(
  control: Pick<ControlPlane, 'waitForDeliveries'>,
  input: ControlInput<'waitForDeliveries'>,
  context: Pick<Context, 'io' | 'signal'>,
): Promise<WaitReport> {
  return withProgress(
    context,
    async () => {
      const { counts } = await control.waitForDeliveries({ ...input, timeout_ms: 0, limit: 1 });
      const done = counts.succeeded + counts.failed + counts.canceled;
      return `Settled ${renderProgressBar(done, done + counts.pending)}`;
    },
    control.waitForDeliveries(input, context.signal),
  );
}

/**
 * Prints the deliveries that did not succeed.
 * @returns whether all succeeded
 * @throws SvcError `unexpected_status`, `timeout` or `stalled` if the wait ended without the deliveries that it asked for
 */
export function explainWait(
  { reason, message, details, hint }: WaitReport,
  { io, json }: Pick<Context, 'io' | 'json'>,
): boolean {
  const lines = json ? [] : details.flatMap((line) => wrapWords(io.noteCapabilities.width, line));
  for (const line of lines) io.note(line);
  if (reason !== 'settled') throw new SvcError(reason, message ?? reason, { hint });
  if (hint !== null && !json) printHint(hint, io);
  return details.length === 0;
}
