import type { Command } from 'commander';
import type { EmulatorStatus } from '../../../contract/emulator-schemas.ts';
import { formatDuration } from '../../../domain/duration.ts';
import { SvcError } from '../../../errors.ts';
import { abortAfter } from '../../../timers.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { DEFAULT_WAIT_MS } from '../../delivery-wait.ts';
import { parseDurationMs } from '../../option-parsers.ts';
import { pollUntil } from '../../poll-until.ts';
import { renderStatus } from '../../render/status.ts';

interface Options {
  readonly timeout?: number;
}

export const command: CommandDefinition<Options> = {
  configure: (command: Command) =>
    command.option('--timeout <duration>', 'give up after that, exit 5; 30s when left out', parseDurationMs),
  examples: ['emulator wait', 'emulator wait --timeout 5s', 'emulator wait --url http://sandbox:4777'],
  run,
};

/** Returns when the emulator answers, which need not have been started yet. */
async function run({ timeout: timeoutMs = DEFAULT_WAIT_MS }: Options, context: Context): Promise<void> {
  const end = AbortSignal.any([context.signal, abortAfter(timeoutMs)]);
  let refusal = new SvcError('no_emulator', 'Something listens, but does not answer.');
  const seen = await pollUntil(
    async () => {
      const found = await findStatus(context, end);
      if (found instanceof SvcError) refusal = found;
      return found;
    },
    (found) => found !== null && !(found instanceof SvcError),
    { timeoutMs, signal: context.signal },
  );
  if (seen === null || seen instanceof SvcError) {
    const { hint } = refusal;
    const message = `No emulator has answered after ${formatDuration(timeoutMs)}. ${refusal.message}`;
    throw new SvcError('timeout', message, { ...(hint === undefined ? {} : { hint }), cause: refusal });
  }
  context.print(seen, () => renderStatus(seen, context));
}

/** The status, or the error that says why there is none; null where the time was over before that was known. */
async function findStatus(context: Context, end: AbortSignal): Promise<EmulatorStatus | SvcError | null> {
  try {
    const control = await context.connect(end);
    return await control.getStatus({});
  } catch (error) {
    if (error instanceof SvcError && error.code === 'no_emulator') return error;
    if (end.aborted && !context.signal.aborted) return null;
    throw error;
  }
}
