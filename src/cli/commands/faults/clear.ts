import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { formatCount } from '../../render/format-count.ts';

interface Options {
  readonly id?: string;
  readonly workspace?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .argument('[id]', 'flt_…; without it, all of them')
      .option('--workspace <id>', 'only faults that are for this workspace'),
  examples: ['faults clear', 'faults clear flt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
  run,
};

async function run({ id, workspace }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const result = await control.clearFaults({
    ...(id === undefined ? {} : { id }),
    ...(workspace === undefined ? {} : { workspace_id: workspace }),
  });
  context.print(result, () => `${formatCount(result.cleared, 'fault')} cleared.`);
}
