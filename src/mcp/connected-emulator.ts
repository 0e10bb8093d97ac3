/** The emulator that the tools and resources use, in this process or over HTTP. */
import type { ApiClient } from '../client/api-client.ts';
import type { ControlPlane } from '../operations/control-plane.ts';

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
