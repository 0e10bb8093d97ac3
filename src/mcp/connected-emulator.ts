/** The emulator that the tools and resources use, in this process or over HTTP. */
import type { ApiClient, ApiRequest } from '../client/api-client.ts';
import type { HttpResponse } from '../client/http-request.ts';
import type { ControlPlane } from '../contract/control-plane.ts';
import type { Rules } from '../profile/rules.ts';

export interface ConnectedEmulator {
  readonly control: ControlPlane;
  /** A client of `/v1`, which creates events and endpoints like a client of the service. */
  readonly connectApi: () => Promise<ApiClient>;
  readonly rules: Rules;
  /** Wall time in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Finds or starts the emulator. Called for each request, because the emulator can stop and start between two of them.
 * @throws SvcError `no_emulator`
 */
export type ConnectEmulator = () => Promise<ConnectedEmulator>;

interface InProcessOptions extends Omit<ConnectedEmulator, 'connectApi'> {
  /** Handles a request to `/v1` without the network. */
  readonly send: (request: ApiRequest) => Promise<HttpResponse>;
}

/** Connects to the emulator in this process. */
export function connectInProcess({ send, ...emulator }: InProcessOptions): ConnectedEmulator {
  return {
    ...emulator,
    async connectApi() {
      const { url, api_key: apiKey } = await emulator.control.getStatus({});
      const { createApiClient } = await import('../client/api-client.ts');
      return createApiClient({ baseUrl: `${url}/v1`, apiKey, send });
    },
  };
}
