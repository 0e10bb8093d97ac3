/** `svc workspaces`: lists, shows and creates workspaces. */
import { Argument } from 'commander';
import { Name } from '../../contract/fields.ts';
import { indentJson } from '../../domain/json.ts';
import { workspaceColumns } from '../choices/resource-choices.ts';
import { AskedArgument, type CommandDefinition } from '../command.ts';
import { CURRENT_WORKSPACE, schemaParser } from '../option-parsers.ts';
import { addPageOptions, type PageOptions } from '../page-options.ts';
import { askText } from '../prompt.ts';
import { printPage, renderFields } from '../render/table.ts';
import { printHint } from '../report-error.ts';

export const list: CommandDefinition<PageOptions> = {
  configure: addPageOptions,
  examples: [['List the workspaces of the emulator', 'workspaces list']],
  async run(options, context) {
    const control = await context.connect();
    const page = await control.listWorkspaces(options);
    await printPage(context, page, 'workspaces', workspaceColumns(context.now()));
  },
};

export const get: CommandDefinition<{ readonly id?: string }> = {
  configure: (command) =>
    command.addArgument(new Argument('[id]', 'Workspace ID (ws_…)').default(undefined, CURRENT_WORKSPACE)),
  examples: [
    ['Show the current workspace', 'workspaces get'],
    ['Show another workspace', 'workspaces get ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
  ],
  /** Uses the public API, so that scopes and the workspace of the key apply. */
  async run({ id }, context) {
    const workspaceId = id ?? (await context.getWorkspaceId());
    const { text } = await (await context.connectApi(workspaceId)).getWorkspace(workspaceId);
    context.printJsonText(text, () => indentJson(text));
  },
};

export const create: CommandDefinition<{ readonly name?: string }> = {
  configure: (command) => command.addArgument(new AskedArgument('name', 'Name of the workspace')),
  examples: [['Create a workspace for another team', "workspaces create 'Team A'"]],
  async run({ name }, context) {
    const workspaceName = name ?? (await askText(context, 'name', schemaParser(Name)));
    const control = await context.connect();
    const workspace = await control.createWorkspace({ name: workspaceName });
    context.print(workspace, () => renderFields({ ID: workspace.id, Name: workspace.name }, context.io));
    printHint(
      { text: 'Create an API key for it', command: `svc keys create --workspace ${workspace.id}` },
      context.io,
    );
  },
};
