/** The emulator that the tools, resources and prompts use, in this process or over HTTP. */
import type { Event } from '../contract/resources.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import type { Rules } from '../profile/rules.ts';

export interface ConnectedEmulator {
  readonly control: ControlPlane;
  /**
   * Creates an event with `POST /v1/events`, like a client of the service.
   * @param body JSON text
   */
  readonly createEvent: (body: string) => Promise<Event>;
  readonly rules: Rules;
  /** Wall time in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Finds or starts the emulator. Called for each request, because the emulator can stop and start between two of them.
 * @throws SvcError `no_emulator`
 */
export type ConnectEmulator = () => Promise<ConnectedEmulator>;
