/** What the parts of a workspace in this process share. */

import type { RandomSource } from '../domain/secret.ts';
import type { Emulator } from '../emulator.ts';
import type { ControlPlane } from '../operations/control-plane.ts';

export interface WorkspaceSetup {
  readonly emulator: Pick<Emulator, 'certificate' | 'status'>;
  readonly control: ControlPlane;
  readonly workspaceId: string;
  readonly apiKey: string;
  /** Name of the payload field in `POST /events` (gap `event.body`). */
  readonly payloadField: string;
  /** Random numbers for the templates of fixtures. */
  readonly random: RandomSource;
  /** Aborted when the emulator is closed. */
  readonly closing: AbortSignal;
}
