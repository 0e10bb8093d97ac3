import type { Command } from 'commander';
import { formatRelative } from '../../../domain/relative-time.ts';
import { addPageOptions, type PageOptions, toPageInput } from '../../arguments.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { printPage } from '../../render/page.ts';

interface Options extends PageOptions {
  readonly workspace?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command: Command) =>
    addPageOptions(command).option('--workspace <id>', 'only keys that are bound to this workspace'),
  examples: ['keys list'],
  run,
};

async function run({ workspace, ...page }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const keys = await control.listKeys({
    ...toPageInput(page),
    ...(workspace === undefined ? {} : { workspace_id: workspace }),
  });
  printPage(context, keys, 'keys', [
    { title: 'ID', value: ({ id }) => id },
    { title: 'KEY', value: ({ last4 }) => `…${last4}` },
    { title: 'SCOPES', value: ({ scopes }) => scopes.join(','), leaves: 3, shrinks: true },
    { title: 'WORKSPACE', value: ({ workspace_id: id }) => id ?? 'every one', leaves: 2 },
    { title: 'CREATED', value: ({ created_at: at }) => formatRelative(at, context.now()), leaves: 1 },
    { title: 'REVOKED', value: ({ revoked_at: at }) => (at ? formatRelative(at, context.now()) : '') },
  ]);
}
