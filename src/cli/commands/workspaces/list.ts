import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { addPageOptions, type PageOptions, toPageParameters } from '../../option-parsers.ts';
import { printPage } from '../../render/page.ts';
import { workspaceColumns } from '../../render/workspaces.ts';

export const command: CommandDefinition<PageOptions> = {
  configure: addPageOptions,
  examples: ['workspaces list'],
  run,
};

async function run(options: PageOptions, context: Context): Promise<void> {
  const control = await context.connect();
  printPage(
    context,
    await control.listWorkspaces(toPageParameters(options)),
    'workspaces',
    workspaceColumns(context.now()),
  );
}
