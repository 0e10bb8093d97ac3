/** The control plane over HTTP, for programs. */

import { type ControlClientOptions, type ControlRequest, createControlClient } from './control-client.ts';
import type { ControlPlane } from './control-plane.ts';
import { openResponse, sendRequest } from './http-request.ts';
import { notAnEmulator } from './parse-response.ts';

export interface HttpControlClientOptions extends ControlClientOptions {
  readonly token?: string | undefined;
  /** Certificates in PEM to trust beside the usual ones. */
  readonly ca?: string | undefined;
  /** Aborts every request under way. */
  readonly signal?: AbortSignal | undefined;
}

/** Every call rejects with the `SvcError` that the server describes, or `no_emulator` when none answers. */
export function createHttpControlClient({
  token,
  ca,
  signal,
  ...remote
}: HttpControlClientOptions): ControlPlane {
  const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const toHttpRequest = (request: ControlRequest) => ({
    ...{ signal, ca },
    ...request,
    headers: { ...authorization, ...request.headers },
  });
  return createControlClient(
    {
      async send(request) {
        const { headers, ...rest } = toHttpRequest(request);
        // A connection that is kept would keep an emulator from stopping while somebody asks whether it has stopped.
        const { text } = await sendRequest({ ...rest, headers: { ...headers, connection: 'close' } });
        return text;
      },
      async open(request) {
        const response = await openResponse(toHttpRequest(request));
        if (response.headers['content-type']?.startsWith('text/event-stream'))
          return response.setEncoding('utf8');
        response.destroy();
        throw notAnEmulator(request.url.href, 'the response is not an event stream');
      },
    },
    remote,
  );
}
