import { keyChoices } from '../../choices/resource-choices.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { askChoice, confirm } from '../../prompt.ts';

interface Options {
  readonly id?: string;
  readonly yes?: true;
}

export const command: CommandDefinition<Options> = {
  configure: (command) => command.argument('[id]', 'key_…').option('--yes', 'revoke it without being asked'),
  examples: ['keys revoke key_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
  run,
};

async function run({ id, yes }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const wanted = id ?? (await askChoice(context, 'id', keyChoices));
  await confirm(context, `Revoke ${wanted}? What uses it will be refused.`, yes);
  const key = await control.revokeKey({ id: wanted });
  context.print(key, () => `${key.id} is revoked.`);
}
