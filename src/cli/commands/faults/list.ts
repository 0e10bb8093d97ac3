import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { addPageOptions, type PageOptions, toPageParameters } from '../../option-parsers.ts';
import { faultColumns } from '../../render/faults.ts';
import { printPage } from '../../render/page.ts';

interface Options extends PageOptions {
  readonly workspace?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    addPageOptions(command).option('--workspace <id>', 'only faults that are for this workspace'),
  examples: ['faults list', 'faults list --json'],
  run,
};

async function run({ workspace, ...page }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const subject = workspace === undefined ? {} : { workspace_id: workspace };
  printPage(
    context,
    await control.listFaults({ ...toPageParameters(page), ...subject }),
    'faults',
    faultColumns,
  );
}
