/** The filter of the request log: for the control plane and for live updates. */
import type { ControlInput } from '../../../contract/control-operations.ts';
import { matchesRequestFilter, type RequestCondition } from '../../../contract/list-filters.ts';
import type { ApiRequest } from '../../../contract/resources.ts';
import { parseRelativeTime } from '../../../domain/duration.ts';
import { parseStatusFilter, type StatusFilter } from '../../../domain/status-filter.ts';

/** Names of the query parameters, the same as the options of `svc logs list` where it has them. */
export const filterNames = ['path', 'method', 'status', 'key', 'resource', 'since'] as const;
export type RequestFilter = { readonly [_ in (typeof filterNames)[number]]?: string };

export function toListInput({
  key,
  resource,
  status,
  ...rest
}: RequestFilter): Omit<ControlInput<'listRequests'>, 'limit' | 'starting_after'> {
  return {
    ...rest,
    ...(status === undefined ? {} : { status: toStatusFilter(status) }),
    ...(key === undefined ? {} : { api_key_id: key }),
    ...(resource === undefined ? {} : { resource_id: resource }),
  };
}

function toStatusFilter(text: string): StatusFilter {
  return parseStatusFilter(text) ?? Number(text);
}

/**
 * Applies the rules of the control plane to a request.
 * @param now wall time in milliseconds since 1970
 */
export function matchesFilter(filter: RequestFilter, request: ApiRequest, now: number): boolean {
  const { path, method, status, key, resource, since } = filter;
  const condition: RequestCondition = {
    path,
    method: method?.toUpperCase(),
    status: status === undefined ? undefined : toStatusFilter(status),
    api_key_id: key,
    resource_id: resource,
    since: since === undefined ? undefined : parseRelativeTime(since, now),
  };
  return matchesRequestFilter(condition, request);
}
