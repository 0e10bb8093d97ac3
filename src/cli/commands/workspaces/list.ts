import { formatRelative } from '../../../domain/relative-time.ts';
import { addPageOptions, type PageOptions, toPageInput } from '../../arguments.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { printPage } from '../../render/page.ts';

export const command: CommandDefinition<PageOptions> = {
  configure: addPageOptions,
  examples: ['workspaces list'],
  run,
};

async function run(options: PageOptions, context: Context): Promise<void> {
  const control = await context.connect();
  printPage(context, await control.listWorkspaces(toPageInput(options)), 'workspaces', [
    { title: 'ID', value: ({ id }) => id },
    { title: 'NAME', value: ({ name }) => name, shrinks: true },
    { title: 'ENVIRONMENT', value: ({ environment }) => environment, leaves: 2 },
    { title: 'CREATED', value: ({ created_at: at }) => formatRelative(at, context.now()), leaves: 1 },
  ]);
}
