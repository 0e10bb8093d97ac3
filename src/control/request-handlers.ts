/** The handlers of the operations for the request log. */
import { randomUUID } from 'node:crypto';
import { findResendProblem } from '../client/logged-request.ts';
import type { ControlHandlers } from '../contract/control-plane.ts';
import type { EmulatorStatus } from '../contract/emulator-schemas.ts';
import type { ApiRequestDetail } from '../contract/resources.ts';
import { SvcError } from '../errors.ts';
import { VERSION } from '../package-info.ts';
import { createNotFoundError } from '../sandbox/access.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { toApiRequest, toApiRequestDetail } from '../store/api-requests.ts';
import { toListBody, toPageRequest } from '../store/row-page.ts';
import { toCondition } from './to-condition.ts';

/** What the handlers need to send a request again. */
export interface RequestSender {
  /** Sends a request to `/v1`. @returns its ID in the request log. */
  sendAsKey(request: Request, apiKeySeq: number): Promise<string>;
  status(): Pick<EmulatorStatus, 'api_key'>;
}

export function createRequestHandlers(sandbox: Sandbox, sender: RequestSender) {
  const { store } = sandbox;

  function getRow(id: string) {
    // The log is written with a delay. It must include every finished request.
    store.flush();
    const row = store.apiRequests.find(id);
    if (row === undefined) throw createNotFoundError('request', id);
    return row;
  }

  function getDetail(id: string): ApiRequestDetail {
    const row = getRow(id);
    return toApiRequestDetail(row, store.apiRequests.findMessages(row.seq));
  }

  return {
    listRequests: async (input) => {
      store.flush();
      const pageRequest = toPageRequest(input, (id) => store.apiRequests.find(id)?.seq);
      return toListBody(
        await store.apiRequests.list(toCondition(sandbox, input, 'wall'), pageRequest),
        toApiRequest,
      );
    },
    getRequest: async ({ id }) => getDetail(id),
    resendRequest: async ({ id, keep_idempotency_key: keepsIdempotencyKey }) => {
      const request = createResentRequest(getDetail(id), keepsIdempotencyKey);
      // A request without a valid key is sent with the default key. No key has the sequence 0, so the API would reject the request.
      const keySeq = getRow(id).api_key_seq ?? store.apiKeys.findByKey(sender.status().api_key)?.seq ?? 0;
      return getDetail(await sender.sendAsKey(request, keySeq));
    },
  } satisfies Partial<ControlHandlers>;
}

/** Headers that change how the API reads a request. */
const RESENT_HEADERS = ['content-type', 'content-encoding'];

/** @throws SvcError `conflict` if the log does not contain the whole request. */
function createResentRequest(logged: ApiRequestDetail, keepsIdempotencyKey: boolean): Request {
  const { id, method, path, request } = logged;
  const problem = findResendProblem(logged);
  if (problem !== null) throw new SvcError('conflict', `${id} cannot be sent again, because ${problem}.`);
  const headers = new Headers({ 'user-agent': `svc-emulator/${VERSION}`, 'svc-resend-of': id });
  for (const name of RESENT_HEADERS) {
    const value = request?.headers[name];
    if (value !== undefined) headers.set(name, value);
  }
  const idempotencyKey = request?.headers['idempotency-key'];
  if (idempotencyKey !== undefined) {
    headers.set('idempotency-key', keepsIdempotencyKey ? idempotencyKey : randomUUID());
  }
  const body = request?.body ? Buffer.from(request.body, request.encoding) : null;
  return new Request(`http://127.0.0.1${path}`, { method, headers, body });
}
