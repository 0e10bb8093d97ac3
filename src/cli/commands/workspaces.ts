/** `svc workspaces`: lists, shows and creates workspaces. */
import { workspaceChoices } from '../choices/resource-choices.ts';
import type { CommandGroup } from '../command.ts';
import { operation } from '../operation-command.ts';
import { currentWorkspace } from '../option-rows.ts';
import { renderFields } from '../render/table.ts';

export const command: CommandGroup = {
  commands: {
    list: operation('listWorkspaces', {
      summary: 'List workspaces, newest first',
      list: workspaceChoices,
      examples: [['List the workspaces of the emulator', 'workspaces list']],
    }),
    get: operation('getWorkspace', {
      summary: 'Show a workspace',
      options: {
        id: { ...currentWorkspace, argument: '[id]', summary: 'Workspace ID (ws_…)' },
      },
      render: ({ id, name, environment, created_at }, { io }) =>
        renderFields({ ID: id, Name: name, Environment: environment, Created: created_at }, io),
      examples: [
        ['Show the current workspace', 'workspaces get'],
        ['Show another workspace', 'workspaces get ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
      ],
    }),
    create: operation('createWorkspace', {
      summary: 'Create a workspace',
      options: { name: { argument: '<name>', summary: 'Name of the workspace' } },
      render: ({ id, name }, { io }) => renderFields({ ID: id, Name: name }, io),
      next: ({ id }) => ({
        text: 'Create an API key for it',
        command: `svc keys create --workspace ${id}`,
      }),
      examples: [['Create a workspace for another team', "workspaces create 'Team A'"]],
    }),
  },
};
