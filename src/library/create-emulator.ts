/** An emulator in this process, with all that a test does with it. */
import type { EmulatorStatus } from '../contract/emulator-schemas.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import { scopes } from '../domain/environment.ts';
import { createRandomSource } from '../domain/random-source.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import type { SchemeName } from '../domain/signature/schemes.ts';
import { type EmulatorOptions, startEmulator } from '../emulator.ts';
import type { Overrides } from '../profile/overrides.ts';
import { resolveRules } from '../profile/resolve-rules.ts';
import type { ProfileName } from '../profile/rules.ts';
import { EmulatorOptionsSchema, WorkspaceOptionsSchema } from './argument-schemas.ts';
import { checkArguments } from './check-arguments.ts';
import { requireRealTimers } from './real-timers.ts';
import { rejectAfterClose } from './reject-after-close.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

export interface CreateEmulatorOptions extends Partial<Omit<EmulatorOptions, 'rules' | 'wall' | 'seedName'>> {
  /** The answers where the service description is silent; `relaxed` by default. */
  readonly profile?: ProfileName;
  /** Rows of the gap register, by their id (`svc gaps` lists them). */
  readonly overrides?: Overrides;
  /** Whose signatures deliveries carry: the name of a built-in scheme, or a scheme as data; `svc` by default. */
  readonly scheme?: SchemeName | SignatureScheme;
}

export interface CreateWorkspaceOptions {
  readonly name?: string;
  /** Its clock; what is left out is as in the options of the emulator. */
  readonly clock?: { readonly speed?: number; readonly frozen?: boolean };
}

/** Its own methods are those of the default workspace, the one that is there from boot on. */
export interface Emulator extends Workspace {
  /** Everything that the commands do beyond `/v1`, for what the methods here do not cover. */
  readonly control: ControlPlane;
  status(): EmulatorStatus;
  /** A workspace with a key, endpoints and a clock of its own, which sees nothing of the others. */
  createWorkspace(options?: CreateWorkspaceOptions): Promise<Workspace>;
  /** Gives back exactly the state after boot; workspaces made since are no more. */
  reset(): Promise<void>;
  /**
   * Stops it: attempts under way get up to five seconds, then the store is closed. Every other call is refused from then
   * on with an SvcError `interrupted`.
   */
  close(): Promise<void>;
}

/**
 * Boots the sandbox in this process: in memory and on a free port of 127.0.0.1 unless told otherwise. Resolves once
 * requests are answered; `await using` closes it.
 * @throws SvcError `usage` for an option that is unknown or invalid, or where the library was imported while fake timers were installed, `port_in_use`, `database_in_use`, `database_unusable` or
 *   `validation_failed`.
 */
export async function createEmulator(options: CreateEmulatorOptions = {}): Promise<Emulator> {
  checkArguments('createEmulator', { options: EmulatorOptionsSchema }, [options]);
  requireRealTimers();
  const { profile = 'relaxed', overrides = {}, environment = 'sandbox', scheme, ...rest } = options;
  const rules = resolveRules(profile, overrides, environment, scheme);
  const started = await startEmulator({
    ...{ port: 0, host: '127.0.0.1', db: ':memory:', environment, rules },
    ...rest,
  });
  const closing = new AbortController();
  // It may be stopped from elsewhere too.
  void started.closed.then(() => closing.abort());
  const emulator = rejectAfterClose(started, closing.signal);
  const { control, status } = emulator;
  const { api_key: apiKey, workspace_id: workspaceId } = status();
  const shared = {
    ...{
      emulator,
      control,
      payloadMember: rules.payloadMember,
      workspaceParameter: rules.list.workspaceParameter,
      closing: closing.signal,
    },
    random: createRandomSource(options.randomSeed ?? null, 'fixtures'),
  };

  async function close(): Promise<void> {
    closing.abort();
    await started.close();
  }

  return {
    ...createWorkspace({ ...shared, workspaceId, apiKey }),
    ...{ control, status, close },
    async createWorkspace(options = {}) {
      checkArguments('createWorkspace', { options: WorkspaceOptionsSchema }, [options]);
      const { name = 'Workspace of a test', clock } = options;
      const { id: workspaceId } = await control.createWorkspace({ name });
      const [{ key: apiKey }] = await Promise.all([
        control.createKey({ scopes: [...scopes], workspace_id: workspaceId }),
        clock && control.setClock({ workspace_id: workspaceId, ...clock }),
      ]);
      return createWorkspace({ ...shared, workspaceId, apiKey });
    },
    reset: async () => void (await control.reset({})),
    [Symbol.asyncDispose]: close,
  };
}
