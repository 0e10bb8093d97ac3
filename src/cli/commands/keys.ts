/** `svc keys`: lists, creates and revokes API keys. */
import { Option } from 'commander';
import type { ControlInput } from '../../contract/control-operations.ts';
import { keySettings } from '../../contract/resources.ts';
import { scopes } from '../../domain/credentials.ts';
import { keyChoices, keyColumns } from '../choices/resource-choices.ts';
import { AskedArgument, type CommandDefinition } from '../command.ts';
import { addOptions, createFieldOptions } from '../field-option.ts';
import { CURRENT_WORKSPACE, idParser } from '../option-parsers.ts';
import { addWorkspacePageOptions, type WorkspacePageOptions } from '../page-options.ts';
import { askChoice, confirm, yesOption } from '../prompt.ts';
import { printPage, renderFields } from '../render/table.ts';

export const list: CommandDefinition<WorkspacePageOptions> = {
  configure: (command) => addWorkspacePageOptions(command, 'Only list keys that are bound to this workspace'),
  examples: [['List the API keys, including the revoked ones', 'keys list']],
  async run(options, context) {
    const control = await context.connect();
    const keys = await control.listKeys(options);
    await printPage(context, keys, 'keys', keyColumns(context.now()));
  },
};

type CreateOptions = Partial<Omit<ControlInput<'createKey'>, 'workspace_id'>> & {
  readonly workspace?: string;
  readonly allWorkspaces?: true;
};

export const create: CommandDefinition<CreateOptions> = {
  configure: (command) =>
    addOptions(
      command,
      createFieldOptions(keySettings, {
        name: { flags: '--name <name>', defaultText: 'its last four characters' },
        scopes: { flags: '--scopes <list>', defaultText: 'all' },
      }),
    )
      .optionWithDefault(
        '--workspace <id>',
        'Workspace that the key is bound to',
        CURRENT_WORKSPACE,
        idParser('workspace'),
      )
      .addOption(
        new Option('--all-workspaces', 'Create a key that is not bound to a workspace').conflicts(
          'workspace',
        ),
      ),
  examples: [
    ['Create a key that can only read events', 'keys create --name reader --scopes events:read'],
    ['Create a key for another workspace', 'keys create --workspace ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
    ['Create a key for every workspace', 'keys create --all-workspaces'],
  ],
  async run({ workspace, allWorkspaces, ...fields }, context) {
    const control = await context.connect();
    const workspaceId = allWorkspaces ? null : (workspace ?? (await context.getWorkspaceId()));
    const key = await control.createKey({ scopes: [...scopes], ...fields, workspace_id: workspaceId });
    context.print(key, () =>
      renderFields(
        {
          ID: key.id,
          Name: key.name,
          Key: key.key,
          Scopes: key.scopes.join(', '),
          Workspace: key.workspace_id ?? 'all',
        },
        context.io,
      ),
    );
    context.io.note('Copy the key now. It is not shown again.');
  },
};

export const revoke: CommandDefinition<{ readonly id?: string; readonly yes?: true }> = {
  configure: (command) =>
    command.addArgument(new AskedArgument('id', 'API key ID (key_…)')).option(...yesOption('Revoke the key')),
  examples: [['Revoke an API key', 'keys revoke key_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D']],
  async run({ id, yes }, context) {
    const keyId = id ?? (await askChoice(context, 'id', keyChoices));
    const control = await context.connect();
    await confirm(context, `Revoke ${keyId}? Requests that use it will get a 401 response.`, yes);
    const key = await control.revokeKey({ id: keyId });
    context.print(key, () => `Revoked ${key.id}.`);
  },
};
