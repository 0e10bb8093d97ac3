import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';

export const command: CommandDefinition<object> = {
  examples: ['emulator restore', 'emulator restore --json'],
  run,
};

async function run(_options: object, context: Context): Promise<void> {
  const control = await context.connect();
  const status = await control.restoreDatabase({});
  context.print(status, () => `${status.db} was written again, with everything that the emulator had.`);
}
