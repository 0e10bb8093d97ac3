import { indentJson } from '../../../domain/json.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';

interface Options {
  readonly id?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command.argument('[id]', 'ws_…; otherwise SVC_WORKSPACE_ID, or the one made at boot'),
  examples: ['workspaces get', 'workspaces get ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
  run,
};

/** Goes through the public API, so that the key's scopes and workspace count. */
async function run({ id }: Options, context: Context): Promise<void> {
  const api = await context.api();
  const { text } = await api.getWorkspace(id ?? (await context.workspaceId()));
  context.printJsonText(text, () => indentJson(text));
}
