import type { Command } from 'commander';
import { formatRelative } from '../../../domain/relative-time.ts';
import { addPageOptions, type PageOptions, toPageInput } from '../../arguments.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { printPage } from '../../render/page.ts';
import { findScheduleNow } from '../../schedule-now.ts';

interface Options extends PageOptions {
  readonly workspace?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command: Command) =>
    addPageOptions(command).option('--workspace <id>', 'only endpoints of this workspace'),
  examples: ['webhooks list', 'webhooks list --json'],
  run,
};

async function run({ workspace, ...page }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const webhooks = await control.listWebhooks({
    ...toPageInput(page),
    ...(workspace === undefined ? {} : { workspace_id: workspace }),
  });
  const now = await findScheduleNow(webhooks.data, control, context);
  printPage(context, webhooks, 'endpoints', [
    { title: 'ID', value: ({ id }) => id },
    { title: 'URL', value: ({ url }) => url, shrinks: true },
    { title: 'EVENTS', value: ({ events }) => events.join(','), leaves: 3, shrinks: true },
    { title: 'STATE', value: ({ disabled }) => (disabled ? 'disabled' : 'enabled'), leaves: 2 },
    { title: 'CREATED', value: (row) => formatRelative(row.created_at, now(row)), leaves: 1 },
  ]);
}
