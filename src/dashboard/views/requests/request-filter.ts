/** The filter of the request log. */
import { RequestFilter as filterFields, matchesRequestFilter } from '../../../contract/list-filters.ts';
import type { ApiRequest } from '../../../contract/resources.ts';
import { type FilterTexts, toCondition } from '../../url-filter.ts';

const { path, method, status, api_key_id, resource_id, since } = filterFields;
export const requestFields = { path, method, status, api_key_id, resource_id, since };
export type RequestFilter = FilterTexts<typeof requestFields>;

/** @param now wall time in milliseconds since 1970 */
export function matchesFilter(filter: RequestFilter, request: ApiRequest, now: number): boolean {
  return matchesRequestFilter(toCondition(requestFields, filter, now), request);
}
