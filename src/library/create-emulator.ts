/** Starts an emulator in this process for tests. */
import type { EmulatorStatus } from '../contract/emulator-schemas.ts';
import type { ControlPlane } from '../control/control-plane.ts';
import { scopes } from '../domain/credentials.ts';
import { createRandomSource } from '../domain/secret.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import type { SchemeName } from '../domain/signature/schemes.ts';
import { type EmulatorOptions, startEmulator } from '../emulator.ts';
import { type Overrides, resolveRules } from '../profile/resolve-rules.ts';
import type { ProfileName } from '../profile/rules.ts';
import { EmulatorOptionsSchema, WorkspaceOptionsSchema } from './argument-schemas.ts';
import { checkArguments, requireRealTimers } from './check-arguments.ts';
import { rejectAfterClose } from './reject-after-close.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

export interface CreateEmulatorOptions extends Partial<Omit<EmulatorOptions, 'rules' | 'wall' | 'seedName'>> {
  /** Values for the gaps of the service description, see docs/gaps.md (default: `relaxed`). */
  readonly profile?: ProfileName;
  /** Rows of the gap register that differ from the profile, by ID: `{ 'retry.jitter': 0 }`. `svc gaps` lists them. */
  readonly overrides?: Overrides;
  /** Signature scheme of deliveries: the name of a built-in one, or a scheme object (default: `svc`). */
  readonly scheme?: SchemeName | SignatureScheme;
  /** @deprecated The former name of `internalErrorLog`. */
  readonly faultLog?: EmulatorOptions['internalErrorLog'];
}

export interface CreateWorkspaceOptions {
  readonly name?: string;
  /** Speed of the schedule clock and whether it is frozen (default: as in the options of the emulator). */
  readonly clock?: { readonly speed?: number; readonly frozen?: boolean };
}

/** A running emulator. Everything of {@link Workspace} belongs to its default workspace. */
export interface Emulator extends Workspace {
  /** Every operation of the control plane as a method, for what the other methods do not cover. */
  readonly control: ControlPlane;
  status(): EmulatorStatus;
  /** Creates a workspace with its own API key, endpoints, clock and faults, isolated from the others. */
  createWorkspace(options?: CreateWorkspaceOptions): Promise<Workspace>;
  /** Restores the state after the start. Workspaces created since then no longer exist. */
  reset(): Promise<void>;
  /**
   * Stops the emulator. Attempts in flight get up to five seconds to finish. After that, every other call fails with an
   * SvcError `interrupted`. Can be called more than once.
   */
  close(): Promise<void>;
}

/**
 * Starts an emulator in this process, by default in memory and on a free port of 127.0.0.1. Resolves when it accepts
 * requests. `await using` closes it.
 * @throws SvcError `usage` for an unknown or invalid option, or if the library was imported while fake timers were installed;
 *   `port_in_use`, `database_in_use`, `database_unusable`, or `validation_failed` for an invalid seed
 */
export async function createEmulator(options: CreateEmulatorOptions = {}): Promise<Emulator> {
  checkArguments('createEmulator', { options: EmulatorOptionsSchema }, [options]);
  requireRealTimers();
  const { profile = 'relaxed', overrides = {}, environment = 'sandbox', scheme, faultLog, ...rest } = options;
  const rules = resolveRules(profile, overrides, environment, scheme);
  const startedEmulator = await startEmulator({
    port: 0,
    host: '127.0.0.1',
    db: ':memory:',
    environment,
    rules,
    internalErrorLog: faultLog,
    ...rest,
  });
  const closing = new AbortController();
  // The control plane can stop it too.
  void startedEmulator.closed.then(() => closing.abort());
  const emulator = rejectAfterClose(startedEmulator, closing.signal);
  const { control, status } = emulator;
  const { api_key: apiKey, workspace_id: workspaceId } = status();
  const sharedSetup = {
    emulator,
    control,
    payloadMember: rules.payloadMember,
    workspaceParameter: rules.list.workspaceParameter,
    closing: closing.signal,
    random: createRandomSource(options.randomSeed ?? null, 'fixtures'),
  };

  async function close(): Promise<void> {
    closing.abort();
    await startedEmulator.close();
  }

  return {
    ...createWorkspace({ ...sharedSetup, workspaceId, apiKey }),
    control,
    status,
    close,
    async createWorkspace(options = {}) {
      checkArguments('createWorkspace', { options: WorkspaceOptionsSchema }, [options]);
      const { name = 'Test workspace', clock } = options;
      const { id: workspaceId } = await control.createWorkspace({ name });
      const [{ key: apiKey }] = await Promise.all([
        control.createKey({ scopes: [...scopes], workspace_id: workspaceId }),
        clock && control.setClock({ workspace_id: workspaceId, ...clock }),
      ]);
      return createWorkspace({ ...sharedSetup, workspaceId, apiKey });
    },
    reset: async () => void (await control.reset({})),
    [Symbol.asyncDispose]: close,
  };
}
