/** The list of API requests in a live view. */
import type { EmulatorStatus } from '../../contract/emulator-schemas.ts';
import type { ApiRequest } from '../../contract/resources.ts';
import type { Context } from '../context.ts';
import { renderRequestDetail, requestColumns } from '../render/requests.ts';
import { formatTimeOfDay } from '../render/time.ts';
import type { LiveList } from './live-list.ts';

export function createRequestList(
  { dashboard_url }: Pick<EmulatorStatus, 'dashboard_url'>,
  heading: string,
  matches: (request: ApiRequest) => boolean,
  context: Context,
): LiveList<ApiRequest> {
  return {
    heading,
    empty: 'No requests yet.',
    add: (rows, item) => (item.type === 'request' && matches(item.request) ? [...rows, item.request] : rows),
    columns: (capabilities) => requestColumns(capabilities, formatTimeOfDay),
    refresh: async () => {},
    describe: async (request) => renderRequestDetail(request, context),
    replay: null,
    toUrl: ({ id }) => `${dashboard_url}#/requests/${id}`,
  };
}
