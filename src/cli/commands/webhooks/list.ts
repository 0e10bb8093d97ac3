import type { Command } from 'commander';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { addPageOptions, type PageOptions, toPageParameters } from '../../option-parsers.ts';
import { printPage } from '../../render/page.ts';
import { webhookColumns } from '../../render/webhook.ts';
import { fetchScheduleTimes } from '../../schedule-time.ts';

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
    ...toPageParameters(page),
    ...(workspace === undefined ? {} : { workspace_id: workspace }),
  });
  const now = await fetchScheduleTimes(webhooks.data, control, context);
  printPage(context, webhooks, 'endpoints', webhookColumns(now));
}
