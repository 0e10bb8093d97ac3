import type { Command } from 'commander';
import { formatRelative } from '../../../domain/relative-time.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { addPageOptions, type PageOptions, toPageParameters } from '../../option-parsers.ts';
import { printPage } from '../../render/page.ts';
import { requestColumns } from '../../render/requests.ts';
import { addRequestFilterOptions, type RequestFilterOptions, toRequestFilter } from '../../request-filter.ts';

type Options = RequestFilterOptions & PageOptions;

export const command: CommandDefinition<Options> = {
  configure: (command: Command) => addPageOptions(addRequestFilterOptions(command)),
  examples: [
    'logs list',
    'logs list --status 403 --since 10m',
    'logs list --request req_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
  ],
  run,
};

async function run(options: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const page = await control.listRequests({ ...toPageParameters(options), ...toRequestFilter(options) });
  printPage(
    context,
    page,
    'requests',
    requestColumns(context.io, (at) => formatRelative(at, context.now())),
  );
}
