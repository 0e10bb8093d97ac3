import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { askChoice } from '../../prompt.ts';

interface Options {
  readonly id?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command) => command.argument('[id]', 'key_…'),
  examples: ['keys revoke key_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
  run,
};

async function run({ id }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const wanted =
    id ??
    (await askChoice(context, 'id', async () => {
      const { data } = await control.listKeys({});
      return data
        .filter((key) => key.revoked_at === null)
        .map((key) => ({ value: key.id, name: `${key.id}  …${key.last4}  ${key.scopes.join(',')}` }));
    }));
  const key = await control.revokeKey({ id: wanted });
  context.print(key, () => `${key.id} is revoked.`);
}
