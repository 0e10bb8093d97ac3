/** The client of the control plane over `node:http`. */

import type { ControlPlane } from '../contract/control-plane.ts';
import type { Hint } from '../errors.ts';
import { type ControlClientOptions, type ControlRequest, createControlClient } from './control-client.ts';
import { openResponse, sendRequest } from './http-request.ts';
import { createWrongServerError } from './parse-response.ts';

interface HttpControlClientOptions extends ControlClientOptions {
  readonly token?: string | undefined;
  /** Additional certificates to trust, in PEM. */
  readonly ca?: string | undefined;
  /** The hint if nothing responds, as in `HttpRequest`. */
  readonly noResponseHint?: Hint | undefined;
  /** Aborts requests in progress. */
  readonly signal?: AbortSignal | undefined;
}

export function createHttpControlClient({
  token,
  ca,
  noResponseHint,
  signal,
  ...options
}: HttpControlClientOptions): ControlPlane {
  const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const toHttpRequest = (request: ControlRequest) => ({
    signal,
    ca,
    noResponseHint,
    ...request,
    headers: { ...authorization, ...request.headers },
  });
  return createControlClient(
    {
      async send(request) {
        const { headers, ...rest } = toHttpRequest(request);
        // A connection that stays open would delay the stop of an emulator that is polled until it has stopped.
        const { text } = await sendRequest({ ...rest, headers: { ...headers, connection: 'close' } });
        return text;
      },
      async open(request) {
        const response = await openResponse(toHttpRequest(request));
        const type = request.headers?.accept ?? '';
        if (response.headers['content-type']?.startsWith(type)) return response.setEncoding('utf8');
        response.destroy();
        throw createWrongServerError(request.url.href, `the response is not ${type}`);
      },
    },
    options,
  );
}
