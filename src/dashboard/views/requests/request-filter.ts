/** The filter of the request log: for the control plane and for live updates. */
import type { ControlInput } from '../../../contract/control-operations.ts';
import type { ApiRequest } from '../../../contract/resources.ts';
import { parseRelativeTime } from '../../../domain/duration.ts';
import { matchesStatus, type StatusFilter, statusClasses } from '../../../domain/status-filter.ts';

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
  return statusClasses.find((candidate) => candidate === text.toLowerCase()) ?? Number(text);
}

/**
 * Applies the rules of the control plane to a request.
 * @param now wall time in milliseconds since 1970
 */
export function matchesFilter(filter: RequestFilter, request: ApiRequest, now: number): boolean {
  const { path = '', method, status, key, resource, since } = filter;
  return (
    request.path.startsWith(path) &&
    (method ?? request.method).toUpperCase() === request.method &&
    matchesStatus(status === undefined ? undefined : toStatusFilter(status), request.status) &&
    (key ?? request.api_key_id) === request.api_key_id &&
    (resource ?? request.resource_id) === request.resource_id &&
    (since === undefined || Date.parse(request.at) >= parseRelativeTime(since, now))
  );
}
