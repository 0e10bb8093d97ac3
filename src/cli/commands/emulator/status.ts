import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { renderStatus } from '../../render/status.ts';

export const command: CommandDefinition<object> = {
  examples: ['emulator status', 'emulator status --json'],
  run,
};

/** Exits with 3 when none runs, as every command does that finds none. */
async function run(_options: object, context: Context): Promise<void> {
  const control = await context.connect();
  const status = await control.getStatus({});
  context.print(status, () => renderStatus(status, context));
}
