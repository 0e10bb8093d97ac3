import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { parseWorkspaceName } from '../../option-parsers.ts';
import { askText } from '../../prompt.ts';
import { renderFields } from '../../render/fields.ts';

interface Options {
  readonly name?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command) => command.argument('[name]', 'what to call it'),
  examples: ["workspaces create 'Team A'"],
  run,
};

async function run({ name }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const workspace = await control.createWorkspace({
    name: name ?? (await askText(context, 'name', parseWorkspaceName)),
  });
  context.print(workspace, () => renderFields({ ID: workspace.id, Name: workspace.name }, context.io));
  context.io.note(`A key for it: svc keys create --workspace ${workspace.id}`);
}
