/** The handlers of the operations for the request log. */

import { SvcError } from '../../domain/errors.ts';
import { suggestWhereToLook } from '../../domain/ids.ts';
import type { ControlInput } from '../../operations/control-operations.ts';
import type { ControlHandlers } from '../../operations/control-plane.ts';
import { toApiRequest, toApiRequestDetail } from '../../store/api-requests.ts';
import { toListBody, toPageRequest } from '../../store/row-page.ts';
import { createNotFoundError, requireRow } from '../service/access.ts';
import type { Sandbox } from '../service/sandbox.ts';
import { toCondition } from './to-condition.ts';

/** @throws SvcError `not_found` for a filter by an API key or a request that does not exist. */
function assertFilterMatchable({ store }: Sandbox, filter: ControlInput<'listRequests'>): void {
  const { api_key_id: keyId, api_key_name: keyName, request_id: requestId } = filter;
  if (keyId && !store.apiKeys.find(keyId)) throw createNotFoundError('apiKey', keyId);
  if (keyName && !store.apiKeys.hasName(keyName)) {
    throw new SvcError('not_found', `No API key has the name ${JSON.stringify(keyName)}.`, {
      hint: suggestWhereToLook('', 'apiKey'),
    });
  }
  if (requestId && !store.apiRequests.find(requestId)) throw createNotFoundError('request', requestId);
}

export function createRequestHandlers(sandbox: Sandbox) {
  const { store } = sandbox;

  return {
    listRequests: async (input) => {
      assertFilterMatchable(sandbox, input);
      const pageRequest = toPageRequest(input, (id) => store.apiRequests.find(id)?.seq);
      return toListBody(
        store.apiRequests.list(toCondition(sandbox, input, 'wall'), pageRequest),
        toApiRequest,
      );
    },
    getRequest: async ({ id }) =>
      toApiRequestDetail(requireRow(store.apiRequests.findDetail(id), 'request', id)),
  } satisfies Partial<ControlHandlers>;
}
