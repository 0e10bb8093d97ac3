/** `svc keys`: lists, creates and revokes API keys. */
import { scopes } from '../../domain/credentials.ts';
import { describeFields, pickSettable } from '../../resources/define-resource.ts';
import { keyTable } from '../../resources/key.ts';
import { keyChoices } from '../choices/resource-choices.ts';
import type { CommandGroup } from '../command.ts';
import type { Context } from '../context.ts';
import { operation } from '../operation-command.ts';
import { workspaceRow } from '../option-rows.ts';
import { renderFields } from '../render/table.ts';

const settings = pickSettable(keyTable);

export const command: CommandGroup = {
  commands: {
    list: operation('listKeys', {
      summary: 'List API keys, newest first',
      options: {
        workspace_id: {
          option: '--workspace <id>',
          summary: 'Only list keys that are bound to this workspace',
        },
      },
      list: keyChoices,
      examples: [['List the API keys, including the revoked ones', 'keys list']],
    }),
    create: operation('createKey', {
      summary: 'Create an API key',
      options: {
        ...settings,
        scopes: { ...settings.scopes, defaultText: 'all' },
        workspace_id: {
          ...workspaceRow,
          summary: 'Workspace that the key is bound to',
          getDefault: async (context: Context, { allWorkspaces }: { readonly allWorkspaces?: true }) =>
            allWorkspaces ? null : context.getWorkspaceId(),
        },
        allWorkspaces: {
          option: '--all-workspaces',
          summary: 'Create a key that is not bound to a workspace',
          conflicts: ['workspace_id'],
        },
      },
      render: ({ id, key, workspace_id, ...fields }, { io }) =>
        renderFields(
          { ID: id, ...describeFields(settings, fields), Key: key, Workspace: workspace_id ?? 'all' },
          io,
        ),
      input: ({ scopes: given = [...scopes] }) => ({ scopes: [...given] }),
      note: () => 'Copy the key now. It is not shown again.',
      examples: [
        ['Create a key that can only read events', 'keys create --name reader --scopes events:read'],
        ['Create a key for every workspace', 'keys create --all-workspaces'],
      ],
    }),
    revoke: operation('revokeKey', {
      summary: 'Revoke an API key',
      options: { id: { argument: '<id>', summary: 'API key ID (key_…)', source: keyChoices } },
      confirm: {
        action: 'Revoke the key',
        question: ({ id }) => `Revoke ${id}? Requests that use it will get a 401 response.`,
      },
      render: ({ id }) => `Revoked ${id}.`,
      examples: [['Revoke an API key', 'keys revoke key_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D']],
    }),
  },
};
