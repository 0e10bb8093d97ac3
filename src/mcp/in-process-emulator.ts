/** Connects the tools to the emulator in this process. */
import type { HttpRequest, HttpResponse } from '../client/http-request.ts';
import { toServerError } from '../client/parse-response.ts';
import type { ConnectedEmulator } from './connected-emulator.ts';

interface InProcessOptions extends Omit<ConnectedEmulator, 'connectApi'> {
  /** Handles a request without the network. */
  readonly fetch: (request: Request) => Promise<Response>;
}

export function connectInProcess({ fetch, ...emulator }: InProcessOptions): ConnectedEmulator {
  async function send({ url, method, headers = {}, body }: HttpRequest): Promise<HttpResponse> {
    const response = await fetch(new Request(url, { method, headers, body: body ?? null }));
    const text = await response.text();
    if (!response.ok) throw toServerError({ status: response.status, text }, url.href);
    return { status: response.status, headers: Object.fromEntries(response.headers), text };
  }
  return {
    ...emulator,
    async connectApi() {
      const { url, api_key: apiKey } = await emulator.control.getStatus({});
      const { createApiClient } = await import('../client/api-client.ts');
      return createApiClient({ baseUrl: `${url}/v1`, apiKey, send });
    },
  };
}
