import { resolve } from 'node:path';
import type { CommandDefinition } from '../../../command.ts';
import type { Context } from '../../../context.ts';
import { confirm } from '../../../prompt.ts';
import { renderFields } from '../../../render/fields.ts';

interface Options {
  readonly file: string;
  readonly yes?: true;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .argument('<file>', 'a snapshot, on the machine of the emulator')
      .option('--yes', 'replace everything without being asked'),
  examples: ['emulator snapshot load state.svc', 'emulator snapshot load state.svc --yes --json'],
  run,
};

async function run({ file, yes }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  await confirm(context, `Replace everything by what ${file} holds?`, yes);
  const status = await control.loadSnapshot({ path: resolve(context.cwd, file) });
  context.print(status, () =>
    renderFields(
      {
        Loaded: file,
        Workspace: status.workspace_id,
        'API key': status.api_key,
        Endpoint: status.webhook_id ?? null,
        Deliveries: `${status.deliveries.pending} pending`,
      },
      context.io,
    ),
  );
}
