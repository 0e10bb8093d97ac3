import type { ExitCode } from '../../../errors.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { followRequests } from '../../live/follow.ts';
import {
  addRequestFilterOptions,
  matchesRequestFilter,
  type RequestFilterOptions,
} from '../../request-filter.ts';

export const command: CommandDefinition<RequestFilterOptions> = {
  configure: addRequestFilterOptions,
  examples: ['logs tail', 'logs tail --path /v1/events --json'],
  run,
};

/** Shows requests until it is left or interrupted. */
async function run(options: RequestFilterOptions, context: Context): Promise<ExitCode> {
  const control = await context.connect();
  const since = options.since === undefined ? {} : { since: options.since };
  const stream = control.stream({ types: 'request', ...since }, context.signal);
  const heading = 'Requests to the API as they happen. Ctrl-C stops.';
  return followRequests(stream, context, { control, heading }, (logged) =>
    matchesRequestFilter(logged, options),
  );
}
