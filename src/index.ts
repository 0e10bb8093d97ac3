/** The public library: the same emulator, in this process. */

import type { EmulatorStatus } from './contract/resources.ts';
import type { Seed } from './contract/seed.ts';
import type { ControlPlane } from './control/control-plane.ts';
import { type EmulatorOptions, startEmulator } from './emulator.ts';
import type { Overrides } from './profile/answer-gaps.ts';
import { resolveRules } from './profile/resolve.ts';
import type { ProfileName } from './profile/rules.ts';

export { SvcError } from './errors.ts';
export { VERSION } from './version.ts';
export type { ControlPlane, EmulatorStatus, Seed };

export interface CreateEmulatorOptions extends Partial<Omit<EmulatorOptions, 'rules' | 'wall' | 'seedName'>> {
  /** The answers where the service description is silent; `relaxed` by default. */
  readonly profile?: ProfileName;
  /** Rows of the gap register, by their id (`svc gaps` lists them). */
  readonly overrides?: Overrides;
}

export interface EmulatorInProcess extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Base address of the API; ends in `/v1`. */
  readonly baseUrl: string;
  /** A key that may do everything in the default workspace. */
  readonly apiKey: string;
  readonly workspaceId: string;
  /** Everything that the commands do beyond `/v1`: deliveries, replays, the clock, keys, workspaces. */
  readonly control: ControlPlane;
  status(): EmulatorStatus;
  /** Answers a request without the network. */
  fetch(request: Request): Promise<Response>;
  /** Stops it: attempts under way get up to five seconds, then the store is closed. */
  close(): Promise<void>;
}

/**
 * Boots the sandbox in this process: in memory and on a free port of 127.0.0.1 unless told otherwise. Resolves once
 * requests are answered; `await using` closes it.
 * @throws SvcError `port_in_use`, `database_in_use`, `database_unusable` or `validation_failed`.
 */
export async function createEmulator(options: CreateEmulatorOptions = {}): Promise<EmulatorInProcess> {
  const { profile = 'relaxed', overrides = {}, environment = 'sandbox', ...rest } = options;
  const rules = resolveRules(profile, overrides, environment);
  const emulator = await startEmulator({
    ...{ port: 0, host: '127.0.0.1', db: ':memory:', environment, rules },
    ...rest,
  });
  const { url, base_url: baseUrl, api_key: apiKey, workspace_id: workspaceId } = emulator.status();
  const { control, status, fetch, close } = emulator;
  return { url, baseUrl, apiKey, workspaceId, control, status, fetch, close, [Symbol.asyncDispose]: close };
}
