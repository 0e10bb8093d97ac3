import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { confirm } from '../../prompt.ts';

interface Options {
  readonly yes?: true;
}

export const command: CommandDefinition<Options> = {
  configure: (command) => command.option('--yes', 'reset without being asked'),
  examples: ['emulator reset', 'emulator reset --yes --json'],
  run,
};

async function run({ yes }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  await confirm(context, 'Go back to the state after boot? What has happened since is lost.', yes);
  const status = await control.reset({});
  const { pending } = status.deliveries;
  context.print(status, () => `Everything is as it was after boot; deliveries pending: ${pending}.`);
}
