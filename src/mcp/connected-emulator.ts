/** The emulator that the tools and resources use, in this process or over HTTP. */
import type { ApiClient } from '../client/api-client.ts';
import type { ControlPlane } from '../operations/control-plane.ts';
import type { ApiRequest, ApiResponse } from '../operations/public-operations.ts';

export interface ConnectedEmulator {
  readonly control: ControlPlane;
  /** A client of `/v1`, which creates events and endpoints like a client of the service. */
  readonly connectApi: () => Promise<ApiClient>;
}

/**
 * Finds or starts the emulator. Called for each request, because the emulator can stop and start between two of them.
 * @throws SvcError `no_emulator`
 */
export type ConnectEmulator = () => Promise<ConnectedEmulator>;

/**
 * Connects to the emulator in this process.
 * @param send handles a request to `/v1` without the network
 */
export function connectInProcess(
  control: ControlPlane,
  send: (request: ApiRequest) => Promise<ApiResponse>,
): ConnectedEmulator {
  return {
    control,
    async connectApi() {
      const { url, api_key: apiKey } = await control.getStatus({});
      const { createApiClient } = await import('../client/api-client.ts');
      return createApiClient({ baseUrl: `${url}/v1`, apiKey, send });
    },
  };
}
