/** `svc logs`: lists and follows the log of API requests. */
import type { Command } from 'commander';
import type { ApiRequest } from '../../contract/resources.ts';
import { formatRelative } from '../../domain/duration.ts';
import { matchesStatus, type StatusFilter } from '../../domain/status-filter.ts';
import type { CommandDefinition } from '../command.ts';
import { followRequests } from '../live/follow.ts';
import {
  addPageOptions,
  type PageOptions,
  parseDurationMs,
  parseStatusFilter,
  parseTimeOrAge,
  toPageParameters,
} from '../option-parsers.ts';
import { requestColumns } from '../render/requests.ts';
import { printPage } from '../render/table.ts';

interface RequestFilterOptions {
  readonly method?: string;
  readonly path?: string;
  readonly status?: StatusFilter;
  readonly key?: string;
  readonly request?: string;
  readonly workspace?: string;
  /** Milliseconds. */
  readonly slowerThan?: number;
  readonly since?: string;
}

export const list: CommandDefinition<RequestFilterOptions & PageOptions> = {
  configure: (command) => addPageOptions(addRequestFilterOptions(command)),
  examples: [
    ['List the newest requests', 'logs list'],
    ['List the requests with a 4xx response in the last ten minutes', 'logs list --status 4xx --since 10m'],
    ['Find a request by its ID', 'logs list --request req_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
  ],
  async run(options, context) {
    const control = await context.connect();
    const page = await control.listRequests({
      ...toPageParameters(options),
      method: options.method,
      path: options.path,
      status: options.status,
      api_key_id: options.key,
      request_id: options.request,
      workspace_id: options.workspace,
      min_duration_ms: options.slowerThan,
      since: options.since,
    });
    const columns = requestColumns(context.io, (at) => formatRelative(at, context.now()));
    printPage(context, page, 'requests', columns);
  },
};

export const tail: CommandDefinition<RequestFilterOptions> = {
  configure: addRequestFilterOptions,
  examples: [
    ['Follow requests until you press Ctrl-C', 'logs tail'],
    ['Follow requests to one path, one JSON object per line', 'logs tail --path /v1/events --json'],
  ],
  async run(options, context) {
    const control = await context.connect();
    const stream = control.stream({ types: 'request', since: options.since }, context.signal);
    const heading = 'Following API requests. Press Ctrl-C to stop.';
    return followRequests(stream, context, { control, heading }, (request) =>
      matchesRequestFilter(request, options),
    );
  },
};

function addRequestFilterOptions(command: Command): Command {
  return command
    .option('--method <method>', 'Only requests with this method', (text) => text.toUpperCase())
    .option('--path <prefix>', 'Only requests whose path starts with this, such as /v1/events')
    .option(
      '--status <status>',
      'Only requests with this response status or class, such as 404 or 4xx; 0 for dropped connections',
      parseStatusFilter,
    )
    .option('--key <id>', 'Only requests with this API key (key_…)')
    .option('--request <id>', 'Only the request with this ID (req_…)')
    .option('--workspace <id>', 'Only requests in this workspace')
    .option(
      '--slower-than <duration>',
      'Only requests that took at least this long, such as 100ms',
      parseDurationMs,
    )
    .option(
      '--since <when>',
      'Only requests since this time, such as 1h (one hour ago) or 2026-11-20T12:00:00Z',
      parseTimeOrAge,
    );
}

/** The stream cannot filter requests by most of these fields. It filters by `since` itself. */
function matchesRequestFilter(request: ApiRequest, options: RequestFilterOptions): boolean {
  const { method, path, status, key, request: id, workspace, slowerThan } = options;
  return (
    (method === undefined || request.method === method) &&
    (path === undefined || request.path.startsWith(path)) &&
    matchesStatus(status, request.status) &&
    (key === undefined || request.api_key_id === key) &&
    (id === undefined || request.id === id) &&
    (workspace === undefined || request.workspace_id === workspace) &&
    (slowerThan === undefined || request.duration_ms >= slowerThan)
  );
}
