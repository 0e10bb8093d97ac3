/** What the parts of a workspace in this process share. */
import type { ControlPlane } from '../contract/control-plane.ts';
import type { RandomSource } from '../domain/secret.ts';
import type { Emulator } from '../emulator.ts';

export interface WorkspaceSetup {
  readonly emulator: Pick<Emulator, 'fetch' | 'send' | 'status'>;
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

/**
 * Responds as the server would. A path is requested with the API key of the workspace and with a JSON body, unless the headers
 * say otherwise. A `Request` is sent unchanged.
 */
export async function fetchWithKey(
  { emulator, apiKey }: WorkspaceSetup,
  target: Request | URL | string,
  init: RequestInit = {},
): Promise<Response> {
  if (typeof target !== 'string' && !(target instanceof URL))
    return emulator.fetch(new Request(target, init));
  const headers = new Headers(init.headers);
  if (!headers.has('authorization')) headers.set('authorization', `Bearer ${apiKey}`);
  if (init.body !== undefined && !headers.has('content-type')) {
    headers.set('content-type', 'application/json');
  }
  return emulator.fetch(new Request(new URL(target, emulator.status().url), { ...init, headers }));
}
