import { SvcError } from '../../../errors.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { pollUntil } from '../../poll-until.ts';

const STOP_TIMEOUT_MS = 30_000;

export const command: CommandDefinition<object> = {
  examples: ['emulator stop'],
  run,
};

/** Returns once it answers no more: the folder and the port are then free. */
async function run(_options: object, context: Context): Promise<void> {
  const control = await context.connect();
  const { pid, url } = await control.getStatus({});
  await control.stop({});
  const isGone = await pollUntil(
    () => control.getStatus({}).then((status) => status.pid !== pid, isUnreachable),
    (gone) => gone,
    { timeoutMs: STOP_TIMEOUT_MS, signal: context.signal },
  );
  if (!isGone) throw new SvcError('timeout', `The emulator at ${url} still answers.`);
  context.print({ stopped: true, pid, url }, () => `The emulator at ${url} has stopped.`);
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof SvcError && error.code === 'no_emulator') return true;
  throw error;
}
