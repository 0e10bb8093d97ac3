import type { Command } from 'commander';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { addPageOptions, type PageOptions, toPageParameters } from '../../option-parsers.ts';
import { keyColumns } from '../../render/keys.ts';
import { printPage } from '../../render/page.ts';

interface Options extends PageOptions {
  readonly workspace?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command: Command) =>
    addPageOptions(command).option('--workspace <id>', 'only keys that are bound to this workspace'),
  examples: ['keys list'],
  run,
};

async function run({ workspace, ...page }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const keys = await control.listKeys({
    ...toPageParameters(page),
    ...(workspace === undefined ? {} : { workspace_id: workspace }),
  });
  printPage(context, keys, 'keys', keyColumns(context.now()));
}
