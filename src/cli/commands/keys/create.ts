import { InvalidArgumentError } from 'commander';
import { type Scope, scopes } from '../../../domain/access.ts';
import { toList } from '../../arguments.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { renderFields } from '../../render/fields.ts';

interface Options {
  readonly scopes: Scope[];
  readonly workspace?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .option('--scopes <list>', `some of ${scopes.join(', ')}`, toScopes, [...scopes])
      .option('--workspace <id>', 'bind the key to this workspace'),
  examples: ['keys create --scopes events:read', 'keys create --workspace ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
  run,
};

function toScopes(text: string): Scope[] {
  return toList(text).map((name) => {
    const scope = scopes.find((known) => known === name);
    if (scope === undefined) throw new InvalidArgumentError(`The scopes are ${scopes.join(', ')}.`);
    return scope;
  });
}

async function run({ scopes: wanted, workspace }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const key = await control.createKey({ scopes: wanted, workspace_id: workspace ?? null });
  context.print(key, () =>
    renderFields(
      { ID: key.id, Key: key.key, Scopes: key.scopes.join(', '), Workspace: key.workspace_id ?? 'every one' },
      context.io,
    ),
  );
  context.io.note('The key is shown this once.');
}
