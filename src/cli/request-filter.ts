import type { Command } from 'commander';
import type { ApiRequest } from '../contract/resources.ts';
import { parseDurationMs, parseSince, wholeNumberParser } from './option-parsers.ts';

/** What the request log can be narrowed to. */
export interface RequestFilterOptions {
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly key?: string;
  readonly request?: string;
  readonly workspace?: string;
  /** Milliseconds. */
  readonly slowerThan?: number;
  readonly since?: string;
}

export function addRequestFilterOptions(command: Command): Command {
  return command
    .option('--method <method>', 'only requests with this method', (text) => text.toUpperCase())
    .option('--path <prefix>', 'only requests to paths that start so, such as /v1/events')
    .option(
      '--status <status>',
      'only requests answered with this status; 0 for those that were dropped',
      wholeNumberParser(0, 599),
    )
    .option('--key <id>', 'only requests made with this API key (key_…)')
    .option('--request <id>', 'only the request with this id (req_…)')
    .option('--workspace <id>', 'only requests in this workspace')
    .option(
      '--slower-than <duration>',
      'only requests that took at least so long, such as 100ms',
      parseDurationMs,
    )
    .option('--since <when>', 'only since then: 1h, or a time', parseSince);
}

/** The members of a request that {@link RequestFilterOptions} stand for. */
export function toRequestFilter(options: RequestFilterOptions) {
  const { method, path, status, key, request, workspace, slowerThan, since } = options;
  return {
    ...(method === undefined ? {} : { method }),
    ...(path === undefined ? {} : { path }),
    ...(status === undefined ? {} : { status }),
    ...(key === undefined ? {} : { api_key_id: key }),
    ...(request === undefined ? {} : { request_id: request }),
    ...(workspace === undefined ? {} : { workspace_id: workspace }),
    ...(slowerThan === undefined ? {} : { min_duration_ms: slowerThan }),
    ...(since === undefined ? {} : { since }),
  };
}

/** Whether an item of the live stream, which cannot be narrowed to these, fits all but `since`. */
export function matchesRequestFilter(logged: ApiRequest, options: RequestFilterOptions): boolean {
  const { method, path, status, key, request, workspace, slowerThan } = options;
  return (
    (method === undefined || logged.method === method) &&
    (path === undefined || logged.path.startsWith(path)) &&
    (status === undefined || logged.status === status) &&
    (key === undefined || logged.api_key_id === key) &&
    (request === undefined || logged.id === request) &&
    (workspace === undefined || logged.workspace_id === workspace) &&
    (slowerThan === undefined || logged.duration_ms >= slowerThan)
  );
}
