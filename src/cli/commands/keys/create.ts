import { InvalidArgumentError, Option } from 'commander';
import { type Scope, scopes } from '../../../domain/environment.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { parseList } from '../../option-parsers.ts';
import { renderFields } from '../../render/fields.ts';

interface Options {
  readonly scopes: Scope[];
  readonly workspace?: string;
  readonly allWorkspaces?: true;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .option('--scopes <list>', `some of ${scopes.join(', ')}`, toScopes, [...scopes])
      .option('--workspace <id>', 'Workspace that the key is bound to (default: the current workspace)')
      .addOption(
        new Option('--all-workspaces', 'Create a key that is not bound to a workspace').conflicts(
          'workspace',
        ),
      ),
  examples: [
    'keys create --scopes events:read',
    'keys create --workspace ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    'keys create --all-workspaces',
  ],
  run,
};

function toScopes(text: string): Scope[] {
  return parseList(text).map((name) => {
    const scope = scopes.find((known) => known === name);
    if (scope === undefined) throw new InvalidArgumentError(`The scopes are ${scopes.join(', ')}.`);
    return scope;
  });
}

async function run(options: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const workspaceId = options.allWorkspaces ? null : (options.workspace ?? (await context.workspaceId()));
  const key = await control.createKey({ scopes: options.scopes, workspace_id: workspaceId });
  context.print(key, () =>
    renderFields(
      { ID: key.id, Key: key.key, Scopes: key.scopes.join(', '), Workspace: key.workspace_id ?? 'all' },
      context.io,
    ),
  );
  context.io.note('The key is shown this once.');
}
