import { ExitCode } from '../../../errors.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { renderRequest } from '../../render/requests.ts';
import { addRequestFilter, fitsRequestFilter, type RequestFilterOptions } from '../../request-filter.ts';

export const command: CommandDefinition<RequestFilterOptions> = {
  configure: addRequestFilter,
  examples: ['logs tail', 'logs tail --path /v1/events --json'],
  run,
};

/** Prints requests until it is interrupted. */
async function run(options: RequestFilterOptions, context: Context): Promise<ExitCode> {
  const control = await context.connect();
  const since = options.since === undefined ? {} : { since: options.since };
  const stream = control.stream({ types: 'request', ...since }, context.signal);
  await stream.ready;
  if (context.json) context.printItem({ type: 'ready' }, () => '');
  else context.io.note('Waiting for requests. Ctrl-C stops.');
  for await (const item of stream) {
    if (item.type !== 'request' || !fitsRequestFilter(item.request, options)) continue;
    context.printItem(item, () => renderRequest(item.request, context));
  }
  return ExitCode.interrupted;
}
