/** The handlers of the operations for the request log. */
import type { ControlHandlers } from '../contract/control-plane.ts';
import { createNotFoundError } from '../sandbox/access.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { toApiRequest, toApiRequestDetail } from '../store/api-requests.ts';
import { toListBody, toPageRequest } from '../store/row-page.ts';
import { toCondition } from './to-condition.ts';

export function createRequestHandlers(sandbox: Sandbox) {
  const { store } = sandbox;

  return {
    listRequests: async (input) => {
      const pageRequest = toPageRequest(input, (id) => store.apiRequests.find(id)?.seq);
      return toListBody(
        await store.apiRequests.list(toCondition(sandbox, input, 'wall'), pageRequest),
        toApiRequest,
      );
    },
    getRequest: async ({ id }) => {
      const row = store.apiRequests.find(id);
      if (row === undefined) throw createNotFoundError('request', id);
      return toApiRequestDetail(row, store.apiRequests.findMessages(row.seq));
    },
  } satisfies Partial<ControlHandlers>;
}
