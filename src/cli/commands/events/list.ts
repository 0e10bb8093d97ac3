import type { Command } from 'commander';
import { indentJson } from '../../../domain/json.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { addPageOptions, type PageOptions, toPageParameters } from '../../option-parsers.ts';
import { eventColumns } from '../../render/events.ts';
import { printPage } from '../../render/page.ts';
import { fetchScheduleTimes } from '../../schedule-time.ts';

interface Options extends PageOptions {
  readonly type?: string;
  readonly workspace?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command: Command) =>
    addPageOptions(command, 100)
      .option('--type <type>', 'only events of this type')
      .option('--workspace <id>', 'the workspace; otherwise SVC_WORKSPACE_ID, or the one made at boot'),
  examples: ['events list', 'events list --type order.shipped --limit 100 --json'],
  run,
};

/** Goes through the public API, so that the key's scopes and workspace count. */
async function run({ type, workspace, ...options }: Options, context: Context): Promise<void> {
  const { list } = await context.rules();
  const api = await context.api();
  const { limit, starting_after } = toPageParameters(options);
  const page = await api.listEvents({
    [list.workspaceParameter]: workspace ?? (await context.workspaceId()),
    ...(type === undefined ? {} : { type }),
    ...(limit === undefined ? {} : { limit: String(limit) }),
    ...(starting_after === undefined ? {} : { starting_after }),
  });
  const now = await fetchScheduleTimes(page.value.data, await context.connect(), context);
  if (context.json) context.io.write(indentJson(page.text));
  else printPage(context, page.value, 'events', eventColumns(now));
}
